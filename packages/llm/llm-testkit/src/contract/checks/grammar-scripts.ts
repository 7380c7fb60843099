import type { ScriptedAnswer } from '../../scripted/scripted-answer.ts'

/** What a model says, and how the run must end: a kind of finish or the code of a failure. */
export interface GrammarScript {
  readonly name: string
  readonly answer: ScriptedAnswer
  readonly ends: string
}

const weather = { name: 'weather', arguments: ['{"ci', 'ty":', ' "Oslo"}'] }
const time = { name: 'time', arguments: '{"zone":"UTC"}' }

/** Every kind of answer there is, each as an adapter meets it on a good day. */
export const scripts: readonly GrammarScript[] = [
  { name: 'tells text', answer: { text: 'Hello' }, ends: 'stop' },
  { name: 'tells text in pieces', answer: { text: ['He', 'l', 'lo, ', 'world'] }, ends: 'stop' },
  {
    name: 'tells line ends and blanks as they are',
    answer: { text: ['\n\n a\r\n', '\t', ' b \n'] },
    ends: 'stop',
  },
  { name: 'tells text of every script', answer: { text: ['Grüße ', '世界', ' 👋🏽 "\\u0041"'] }, ends: 'stop' },
  {
    name: 'tells reasoning and text apart',
    answer: { reasoning: ['Let ', 'me'], text: ['4', '2'] },
    ends: 'stop',
  },
  { name: 'takes reasoning alone for an answer', answer: { reasoning: ['Hm', 'mm'] }, ends: 'stop' },
  { name: 'tells a call in pieces', answer: { calls: [weather] }, ends: 'tool-calls' },
  { name: 'tells a call in one piece', answer: { calls: [time] }, ends: 'tool-calls' },
  { name: 'tells several calls', answer: { calls: [weather, time] }, ends: 'tool-calls' },
  {
    name: 'tells two calls of one tool apart',
    answer: { calls: [time, { name: 'time', arguments: '{"zone":"CET"}' }] },
    ends: 'tool-calls',
  },
  {
    name: 'keeps the text of arguments as it is',
    answer: { calls: [{ name: 'pay', arguments: '{ "amount" : 1.50,\n "id": 12345678901234567890 }' }] },
    ends: 'tool-calls',
  },
  {
    name: 'tells text before calls',
    answer: { text: ['One ', 'moment'], calls: [weather] },
    ends: 'tool-calls',
  },
  {
    name: 'tells reasoning, text and calls',
    answer: { reasoning: 'Both', text: 'Sure', calls: [weather, time] },
    ends: 'tool-calls',
  },
  {
    name: 'lets calls win over a wire that says stop',
    answer: { calls: [time], finish: 'stop' },
    ends: 'tool-calls',
  },
  {
    name: 'tells text that was cut',
    answer: { text: ['Once ', 'up'], finish: 'max-tokens' },
    ends: 'max-tokens',
  },
  {
    name: 'tells reasoning that was cut',
    answer: { reasoning: ['So ', 'fa'], finish: 'max-tokens' },
    ends: 'max-tokens',
  },
  {
    name: 'leaves a call open that was cut',
    answer: {
      text: 'Sure',
      calls: [{ name: 'weather', arguments: ['{"ci', 'ty": "O'] }],
      finish: 'max-tokens',
    },
    ends: 'max-tokens',
  },
  { name: 'keeps a cut without content a cut', answer: { finish: 'max-tokens' }, ends: 'max-tokens' },
  { name: 'takes nothing at all for a failure', answer: {}, ends: 'EMPTY_RESPONSE' },
]
