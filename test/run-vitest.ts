import { resolve } from 'node:path'
import { parseCLI, startVitest, type TestModule } from 'vitest/node'

// whoever started this is gone, and the database with it
process.once('disconnect', () => process.exit(1))
/** The exit code of the check. */
const checked = new Promise<number>((done) => process.once('message', (code: number) => done(code)))

const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
const vitest = await startVitest('test', filter, {
  tagsFilter: ['!long'],
  ...options,
  root: resolve(import.meta.dirname, '..'),
  watch: false,
})
const { passed, failed, skipped, late, long } = count(
  vitest.state.getTestModules(),
  Math.min(await checked, 1) + vitest.state.getUnhandledErrors().length,
)
await vitest.close()
for (const name of late) console.log(`passed in a later round only: ${name}`)
if (long.size > 0) {
  const files = [...long].map(([file, tests]) => `${file} (${tests})`)
  console.log(`\n!!! NOT RUN: what only \`npm run long\` runs: ${files.join(', ')}\n`)
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)

/** @param failed what failed beside tests; a file that could not be read, or whose hooks failed, counts as one too */
function count(modules: TestModule[], failed: number) {
  const counts = { passed: 0, failed, skipped: 0, late: [] as string[], long: new Map<string, number>() }
  for (const module of modules) {
    let failures = 0
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (test.diagnostic()?.flaky) counts.late.push(`${module.relativeModuleId}: ${test.fullName}`)
      if (state === 'passed') counts.passed++
      else if (state === 'failed') failures++
      else {
        counts.skipped++
        const { relativeModuleId: file } = module
        if (test.tags.includes('long')) counts.long.set(file, (counts.long.get(file) ?? 0) + 1)
      }
    }
    counts.failed += failures === 0 && module.state() === 'failed' ? 1 : failures
  }
  return counts
}
