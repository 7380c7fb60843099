import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Workspace packages resolve to their sources through the `dsh-source` condition, so tests never need a build.
const conditions = ['dsh-source', 'node', 'import', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/*/tests/**/*.test.ts', '.tools/tests/**/*.test.ts'],
    typecheck: {
      enabled: true,
      checker: 'tsc',
      tsconfig: './tsconfig.json',
      include: ['packages/*/*/tests/**/*.test-d.ts'],
    },
    testTimeout: 30_000,
    maxWorkers: availableParallelism(),
    coverage: { provider: 'v8', include: ['packages/*/*/src/**/*.ts'], reporter: ['text-summary'] },
  },
})
