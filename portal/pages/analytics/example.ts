import { create } from '@bufbuild/protobuf'
import { GetAnswersResponseSchema } from '../../../gen/lrs/v1/answers_pb.js'
import { chartCard } from '../../charts/chart.ts'
import { html, type Html } from '../../web/html.ts'
import type { Asked } from './asked.ts'
import { attempts } from './level-charts.ts'
import { funnel } from './progress-charts.ts'

/** Players who started and completed each level of the example game, and how their attempts ended. */
const levels = [
  { name: 'Level 1: The Moon', started: 118, completed: 112, passed: 112, failed: 17, abandoned: 6 },
  { name: 'Level 2: The planets', started: 97, completed: 88, passed: 88, failed: 41, abandoned: 9 },
  { name: 'Level 3: The stars', started: 71, completed: 33, passed: 33, failed: 96, abandoned: 38 },
]

const answers = create(GetAnswersResponseSchema, {
  complete: true,
  funnel: {
    people: 124n,
    levels: levels.map(({ name, started, completed }) => ({
      activityId: name,
      name,
      started: BigInt(started),
      completed: BigInt(completed),
    })),
  },
  levels: {
    levels: levels.map(({ name, passed, failed, abandoned }) => ({
      activityId: name,
      name,
      attempts: BigInt(passed + failed + abandoned),
      completed: BigInt(passed),
      passed: BigInt(passed),
      failed: BigInt(failed),
      abandoned: BigInt(abandoned),
    })),
  },
})

/** What a page without data will answer, with invented numbers of Star Trail, the example game. */
export function exampleCharts(asked: Asked): Html {
  const of = { ...asked, name: ({ name }: { name: string }) => name, href: () => '/docs/serious-games' }
  const sides = [{ name: 'All builds', of: answers }]
  const cards = [funnel(of, sides), attempts(of, sides)].map((chart, at) => chartCard(chart, `example-${at}`))
  return html`<section class="example" aria-labelledby="example">
      <h2 id="example">What you will see here: an example</h2>
      <p class="hint">These are invented numbers of Star Trail, the example game. Yours appear with the first
      statement.</p>
      <div class="questions">${cards}</div></section>`
}
