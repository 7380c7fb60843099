/** SHA-256 of a text as UTF-8, in 64 hex digits; synchronous, which the platform's own digest is not. */
export function sha256(text: string): string {
  const blocks = toPaddedBlocks(new TextEncoder().encode(text))
  let state = initialState
  const schedule = new Uint32Array(64)
  for (let offset = 0; offset < blocks.byteLength; offset += BLOCK_BYTES) {
    fillSchedule(schedule, blocks, offset)
    state = compress(state, schedule)
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

type State = readonly [number, number, number, number, number, number, number, number]

const BLOCK_BYTES = 64
/** The fractions of the square roots of the first eight primes. */
const initialState: State = [
  fractionBits(Math.sqrt(2)),
  fractionBits(Math.sqrt(3)),
  fractionBits(Math.sqrt(5)),
  fractionBits(Math.sqrt(7)),
  fractionBits(Math.sqrt(11)),
  fractionBits(Math.sqrt(13)),
  fractionBits(Math.sqrt(17)),
  fractionBits(Math.sqrt(19)),
]
/** The fractions of the cube roots of the first 64 primes. */
const roundConstants = Uint32Array.from(firstPrimes(64), (prime) => fractionBits(Math.cbrt(prime)))

/** The message, a one bit, zeros, and its length in bits as the last 64. */
function toPaddedBlocks(bytes: Uint8Array): DataView {
  const { length } = bytes
  const padded = new Uint8Array(Math.ceil((length + 9) / BLOCK_BYTES) * BLOCK_BYTES)
  padded.set(bytes)
  padded[length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(length / 2 ** 29))
  view.setUint32(padded.length - 4, length << 3)
  return view
}

function fillSchedule(schedule: Uint32Array, blocks: DataView, offset: number): void {
  for (let t = 0; t < 16; t += 1) schedule[t] = blocks.getUint32(offset + 4 * t)
  for (let t = 16; t < 64; t += 1) {
    const [near = 0, far = 0] = [schedule[t - 2], schedule[t - 15]]
    const nearMix = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10)
    const farMix = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)
    schedule[t] = (schedule[t - 16] ?? 0) + farMix + (schedule[t - 7] ?? 0) + nearMix
  }
}

function compress(state: State, schedule: Uint32Array): State {
  let [a, b, c, d, e, f, g, h] = state
  for (let t = 0; t < 64; t += 1) {
    const mixE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const choice = (e & f) ^ (~e & g)
    const first = (h + mixE + choice + (roundConstants[t] ?? 0) + (schedule[t] ?? 0)) | 0
    const mixA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + mixA + majority) | 0
  }
  return addStates(state, [a, b, c, d, e, f, g, h])
}

function addStates(x: State, y: State): State {
  return [
    (x[0] + y[0]) | 0,
    (x[1] + y[1]) | 0,
    (x[2] + y[2]) | 0,
    (x[3] + y[3]) | 0,
    (x[4] + y[4]) | 0,
    (x[5] + y[5]) | 0,
    (x[6] + y[6]) | 0,
    (x[7] + y[7]) | 0,
  ]
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

function fractionBits(root: number): number {
  return Math.floor((root % 1) * 2 ** 32)
}

function firstPrimes(count: number): readonly number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate += 1) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  }
  return found
}
