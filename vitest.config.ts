import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const all = ['{core,gateway,portal,player,clients,storage,admin,examples,shared,start,test}/**/*.test.ts']
/** Files that measure or stop their process, mock a module or count timers: each gets a process of its own. */
const alone = [
  'test/bounds.test.ts',
  'test/ways.test.ts',
  'test/fuzz/witness.test.ts',
  'gateway/load/download-budget.test.ts',
  'gateway/load/refusal-reporter.test.ts',
  'core/process/secret.test.ts',
  'core/process/database/database.test.ts',
  'core/records/xapi/json.test.ts',
  'core/records/xapi/languages.test.ts',
  'core/records/xapi/worst.test.ts',
]

/** What takes longest, which sizes of files do not tell: one of these at the end would run while nothing else does. */
const longest = [
  'browser/(pages|upload|embed|second-factors|play|whole-way|lesson|docs)',
  '(recount|package-crash|a-published-page-\\S*|standbys|attachment-processes|forms-of-others-\\S*)',
  '(conformance|costs|bench|full-disk|torment|multipart|misplaced-statements|statement-rules|a-full-disk-\\S*)',
  '(system|follow|learners|a-build-is-staged-\\S*|nothing-of-an-erased-\\S*|player-serves-\\S*|codecs|traces|storage)',
  '(faults|answers|limits|floods|races|crash|push|cell-servers|exports|http-rules|admin-backup|what-is-said-\\S*)',
].map((names) => new RegExp(`/${names}\\.test`))

/**
 * What runs alone comes first: then the processes that the other files share are kept. Last comes what starts neither
 * systems nor browsers.
 */
const order = [/ alone /, ...longest, /\/(test|start|storage)\/(?!.*\/(test|start|storage)\/)/, /./]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ project, moduleId }: TestSpecification) =>
      order.findIndex((kind) => kind.test(` ${project.name} ${moduleId}`))
    return sorted.toSorted((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    // three for each core of the machines it has to be quick on: many tests wait, for processes of their own and for time
    maxWorkers: 6,
    // wide: what hangs is found out as well, and a machine that stands still for some seconds fails nothing
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    teardownTimeout: 10_000,
    sequence: { sequencer: LongestFirst },
    tags: [{ name: 'long', description: 'only in `npm run long`, and a probe of it in `npm test`' }],
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      // what every file loads is loaded once for each process
      {
        extends: true,
        test: {
          name: 'shared',
          include: all,
          exclude: ['**/node_modules/**', ...alone],
          isolate: false,
          execArgv: ['--max-semi-space-size=32'],
        },
      },
    ],
  },
})
