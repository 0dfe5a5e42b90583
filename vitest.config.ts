import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{core,gateway,portal,player,client,storage,admin,examples,start,test}/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
})
