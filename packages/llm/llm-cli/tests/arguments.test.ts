import { describe, expect, it } from 'vitest'
import { type Invocation, parseArguments } from '../src/arguments.ts'

interface Parsed {
  readonly invocation: Invocation
  readonly out: string
  readonly err: string
}

function parse(...argv: string[]): Parsed {
  let out = ''
  let err = ''
  const invocation = parseArguments(argv, {
    writeOut: (text) => (out += text),
    writeErr: (text) => (err += text),
    width: 100,
  })
  return { invocation, out, err }
}

describe('parseArguments', () => {
  it('gives defaults for a bare chat', () => {
    expect(parse('chat').invocation).toEqual({
      command: 'chat',
      prompt: undefined,
      options: { tools: true },
    })
  })

  it('reads every option of chat', () => {
    const route = ['--provider', 'local', '--base-url', 'http://localhost:1/v1', '--model', 'm']
    const shape = ['--system', 'Be brief', '--effort', 'high', '--max-tokens', '12', '--no-tools', '--json']
    const { invocation } = parse('chat', 'Why?', ...route, ...shape, '--default-prompt', 'What?')
    const options = {
      provider: 'local',
      baseUrl: 'http://localhost:1/v1',
      model: 'm',
      system: 'Be brief',
      effort: 'high',
      maxTokens: 12,
      tools: false,
      json: true,
      defaultPrompt: 'What?',
    }
    expect(invocation).toEqual({ command: 'chat', prompt: 'Why?', options })
  })

  it('takes a prompt that begins with a hyphen behind --', () => {
    expect(parse('chat', '--', '-5 in words?').invocation).toMatchObject({ prompt: '-5 in words?' })
  })

  it('reads models', () => {
    const { invocation } = parse('models', '--provider', 'deepseek')
    expect(invocation).toEqual({ command: 'models', options: { provider: 'deepseek' } })
  })

  it.each([
    [[], 'Usage: dsh-llm'],
    [['chatt'], "unknown command 'chatt'"],
    [['chat', '--modle', 'x'], "unknown option '--modle'"],
    [['chat', '--model'], 'argument missing'],
    [['chat', '--model', ' '], 'It is blank'],
    [['chat', ''], 'It is blank'],
    [['chat', 'two', 'prompts'], 'too many arguments'],
    [['chat', '--max-tokens', '0'], 'whole number above 0'],
    [['chat', '--max-tokens', '1.5'], 'whole number above 0'],
    [['chat', '--max-tokens', '0x10'], 'whole number above 0'],
    [['chat', '--max-tokens', '-3'], 'whole number above 0'],
    [['chat', '--base-url', 'localhost:11434'], 'http or https URL'],
    [['chat', '--base-url', 'file:///etc'], 'http or https URL'],
    [['chat', '--provider', 'a b'], 'A name has letters'],
    [['models', '--json'], "unknown option '--json'"],
  ])('explains %j on stderr and ends with 2', (argv, words) => {
    const { invocation, out, err } = parse(...argv)
    expect(invocation).toEqual({ command: 'done', exitCode: 2 })
    expect(err).toContain(words)
    expect(out).toBe('')
  })

  it.each([
    [['--help'], 'Usage: dsh-llm'],
    [['chat', '--help'], 'OPENROUTER_API_KEY'],
    [['help', 'models'], 'Usage: dsh-llm models'],
    [['--version'], '.'],
  ])('answers %j on stdout and ends with 0', (argv, words) => {
    const { invocation, out, err } = parse(...argv)
    expect(invocation).toEqual({ command: 'done', exitCode: 0 })
    expect(out).toContain(words)
    expect(err).toBe('')
  })
})
