import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { programOf } from './program.ts'

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)]

test('every option and argument is described', async () => {
  const program = await programOf(
    () => () => Promise.resolve(),
    () => true,
  )
  const silent = all(program).flatMap((command) => [
    ...command.options.filter(({ description }) => !description).map(({ flags }) => `${command.name()} ${flags}`),
    ...command.registeredArguments
      .filter(({ description }) => !description)
      .map((argument) => `${command.name()} <${argument.name()}>`),
  ])
  expect(silent).toEqual([])
})
