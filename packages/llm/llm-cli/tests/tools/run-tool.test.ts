import { describe, expect, it } from 'vitest'
import { builtInTools, runTool } from '../../src/tools/run-tool.ts'
import { Workspace } from '../../src/tools/workspace.ts'
import { makeFolder } from '../folder.ts'

describe('runTool', () => {
  it('runs the tool of that name with the parsed arguments', async () => {
    await using folder = await makeFolder({ 'a.txt': 'hello' })
    const workspace = await Workspace.open(folder.path)
    const listed = await runTool({ name: 'list_directory', arguments: '{"path": "."}' }, workspace)
    const read = await runTool({ name: 'read_text_file', arguments: '{"path":"a.txt"}' }, workspace)
    expect([listed, read]).toEqual([
      { content: 'a.txt', isError: false },
      { content: 'hello', isError: false },
    ])
  })

  it.each([
    ['list_directory', '{"path": ".', 'not valid JSON'],
    ['list_directory', '["."]', 'no JSON object'],
    ['list_directory', 'null', 'no JSON object'],
    ['list_directory', '', '"path" must be a non-empty string'],
    ['list_directory', '{"path": 7}', '"path" must be a non-empty string'],
    ['read_text_file', '{"path": ""}', '"path" must be a non-empty string'],
    ['read_text_file', '{"path": "/etc/passwd"}', 'leads out of the working directory'],
    ['delete_everything', '{}', 'the tools are: list_directory, read_text_file'],
  ])('answers %s(%s) with an error the model can read', async (name, text, words) => {
    await using folder = await makeFolder()
    const outcome = await runTool({ name, arguments: text }, await Workspace.open(folder.path))
    expect(outcome.isError).toBe(true)
    expect(outcome.content).toContain(words)
  })
})

describe('builtInTools', () => {
  it('describe themselves with a schema that asks for a path', () => {
    for (const { schema } of builtInTools) {
      expect(schema.parameters).toMatchObject({ type: 'object', required: ['path'] })
    }
  })
})
