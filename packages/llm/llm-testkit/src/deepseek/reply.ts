import type { NeutralAnswer } from '../wire/neutral-answer.ts'
import type { ChatRequest } from './chat-request.ts'
import { count, describeFolder, parseFolderListing } from './folder-listing.ts'

const listDirectory = 'list_directory'

/** What the responder "thinks", says and calls; the same request always gives the same reply. */
export function toReply(request: ChatRequest): NeutralAnswer {
  const { messages, toolNames } = request
  if (messages.at(-1)?.role === 'tool') return answerFromListing(latestToolResult(request))
  return toolNames.includes(listDirectory)
    ? askForListing(latestQuestion(request))
    : explainItself(latestQuestion(request))
}

function askForListing(question: string): NeutralAnswer {
  return {
    reasoning: `The question is: ${question} I cannot know what is in this folder without looking, so I list it first and answer from what I see.`,
    calls: [{ name: listDirectory, arguments: ['{"', 'path', '":', ' "', '.', '"}'] }],
  }
}

function answerFromListing(toolResult: string): NeutralAnswer {
  const listing = parseFolderListing(toolResult)
  const { folders, files } = listing
  const total = `${count(folders.length, 'folder')}, ${count(files.length, 'file')}`
  if (folders.length + files.length === 0) {
    return { reasoning: 'The listing has no entry at all.', text: `The folder is empty (${total}).` }
  }
  const paragraphs = [
    `This folder has ${total}.`,
    folders.length > 0 ? `Folders: ${folders.join(', ')}` : '',
    files.length > 0 ? `Files: ${files.join(', ')}` : '',
    describeFolder(listing),
  ]
  return {
    reasoning: `The listing has ${count(folders.length + files.length, 'name')} in it; a slash at the end marks a folder. I repeat each one and count both kinds.`,
    text: paragraphs.filter((paragraph) => paragraph !== '').join('\n\n'),
  }
}

function explainItself(question: string): NeutralAnswer {
  return {
    reasoning: `The question is: ${question} No tool that lists a directory was offered, so I cannot look at anything.`,
    text: `You asked: ${question}\n\nI am a small embedded provider, not a language model. Offered the tool ${listDirectory}, I look at the folder and describe it; without it I can only say so.`,
  }
}

function latestToolResult({ messages }: ChatRequest): string {
  const lastOther = messages.findLastIndex((message) => message.role !== 'tool')
  return messages
    .slice(lastOther + 1)
    .map((message) => message.text)
    .join('\n')
}

/** One line of at most 120 characters. */
function latestQuestion({ messages }: ChatRequest): string {
  const text = messages.findLast((message) => message.role === 'user')?.text ?? ''
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 119).toWellFormed()}…` : line
}
