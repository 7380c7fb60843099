import { compare, type Comparison, type Figure } from './measure.ts'

/** Runs a comparison and prints it as a table of ratios, each with its bound where it has one. */
export async function report(comparison: Comparison): Promise<void> {
  process.stdout.write(`\n${comparison.title}\n`)
  for (const figure of await compare(comparison)) print(figure)
}

/** Prints one line that is no ratio. */
export function reportLine(name: string, value: string): void {
  process.stdout.write(`  ${name.padEnd(52)} ${value}\n`)
}

/** The bound of a figure, and whether it is missed. */
export function verdict(value: number, bound: number): string {
  return `bound ${bound}${value <= bound ? '' : '   MISSED'}`
}

function print({ name, cpuMs, ratio, bound }: Figure): void {
  const judged = bound === undefined ? '' : `   ${verdict(ratio, bound)}`
  reportLine(name, `${ratio.toFixed(2).padStart(7)} ×   (${cpuMs.toFixed(1)} ms CPU)${judged}`)
}
