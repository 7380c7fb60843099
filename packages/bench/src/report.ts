import { compare, type Comparison, type Figure } from './measure.ts'

/** Runs a comparison and prints it as a table of ratios. */
export async function report(comparison: Comparison): Promise<readonly Figure[]> {
  process.stdout.write(`\n${comparison.title}\n`)
  const figures = await compare(comparison)
  for (const figure of figures) print(figure)
  return figures
}

/** Prints one line that is no ratio. */
export function reportLine(name: string, value: string): void {
  process.stdout.write(`  ${name.padEnd(52)} ${value}\n`)
}

function print({ name, cpuMs, ratio }: Figure): void {
  reportLine(name, `${ratio.toFixed(2).padStart(7)} ×   (${cpuMs.toFixed(1)} ms CPU)`)
}
