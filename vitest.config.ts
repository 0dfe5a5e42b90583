import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Rules and texts in memory: those files share a process, of which there are few, and come last. */
const light = ['core/{xapi,studio,query,rpc,store}/**/*.test.ts', '{portal,player}/**/*.test.ts']
const all = ['{core,gateway,portal,player,client,storage,admin,examples,start,test}/**/*.test.ts']

/** What starts systems and browsers takes longest: at the end it would leave the other workers without work. */
class HeavyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isHeavy = ({ moduleId }: TestSpecification): boolean => /\/(test|start|storage)\/(?!.*\/(test|start|storage)\/)/.test(moduleId)
    return [...sorted.filter(isHeavy), ...sorted.filter((file) => !isHeavy(file))]
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    // one more than the cores of the machines it has to be quick on: many tests wait for processes of their own
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    sequence: { sequencer: HeavyFirst },
    projects: [
      { extends: true, test: { name: 'heavy', include: all, exclude: ['**/node_modules/**', ...light] } },
      { extends: true, test: { name: 'light', include: light, isolate: false } },
    ],
  },
})
