#!/usr/bin/env node
import { builds } from '../../admin/commands/builds.ts'
import { push } from '../../admin/commands/push.ts'
import { frameOf } from '../../admin/frame.ts'
import { start } from '../../admin/start.ts'

const examples = `
Examples:
  games-lrs push ./dist chess --channel beta
  games-lrs status chess
`

await start(async (act) => {
  const program = frameOf('Brings builds of games to a learning record store.', examples)
  push(program.command('push'), act)
  builds('status')(program.command('status'), act)
  return program
})
