import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

export function cells(program: Command, act: Act): void {
  const group = program
    .command('cells')
    .description('orders of statements in the database: each game is in one, and each stores on its own')
  group
    .command('list')
    .description('list cells with their games and sizes')
    .addHelpText('after', examples('cells list'))
    .action(act(async () => (await import('../commands/cells.ts')).listCells))
  group
    .command('add')
    .description('add a cell; new games go to the cell with the fewest games')
    .addHelpText('after', examples('cells add'))
    .action(act(async () => (await import('../commands/cells.ts')).addCell))
  group
    .command('move')
    .argument('<game>', 'id of the game')
    .argument('<cell>', 'its number, as "cells list" shows it')
    .description("move a game's statements to another cell while the game goes on")
    .addHelpText('after', examples('cells move 53b1e480-6d20-4c1b-9f0e-2f1f3f0c7f7a 2'))
    .action(act(async () => (await import('../commands/cells.ts')).moveGame))
}
