import { drillFaults } from './fault-drill.ts'
import { benchOverhead } from './overhead.ts'

/** Whether retry and route keep their promises where everything fails, and what they cost where nothing does. */
export async function benchDrill(): Promise<void> {
  await drillFaults('first-content')
  await drillFaults('finish')
  await benchOverhead()
}
