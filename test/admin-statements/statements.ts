import type { Game } from '../support/games.ts'
import type { Json } from '../support/statements.ts'

export const linesOf = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

export const idsOf = (all: Json[]): string[] => all.map(({ id }) => id)

/** Bodies as they are stored, without what each store decides itself, in the order of ids. */
export const bodiesOf = async ({ rpc }: Game): Promise<string[]> => {
  const bodies: string[] = []
  for (let offset = ''; ;) {
    const { json, next } = await rpc().statements.queryStatements({ offset, limit: 500 })
    bodies.push(
      ...json.map((one) =>
        Buffer.from(one)
          .toString()
          .replace(/"stored":"[^"]*",?/, ''),
      ),
    )
    if (next === '') return bodies.sort()
    offset = next
  }
}
