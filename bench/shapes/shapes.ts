import { classroom } from './classroom.ts'
import { groups } from './groups.ts'
import { manyGames } from './many-games.ts'
import { launchDay, oneGrouping } from './newcomers.ts'
import { references } from './references.ts'
import { sessions } from './sessions.ts'
import type { Shape } from './shape.ts'
import { whale } from './whale.ts'

/** Every shape of data that benches and the test of costs know; the first is the default. */
export const shapes: readonly Shape[] = [
  sessions,
  classroom,
  launchDay,
  oneGrouping,
  whale,
  groups,
  references,
  manyGames,
]

/** @throws Error with a line that names the shapes */
export function shapeOf(name: string): Shape {
  const found = shapes.find((shape) => shape.name === name)
  if (!found) throw new Error(`There is no shape ${name}; there are ${shapes.map((shape) => shape.name).join(', ')}.`)
  return found
}
