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
    .option('--server <name>', 'on this server of LRS_CELL_SERVERS, instead of that of the directory')
    .addHelpText('after', examples('cells add', 'cells add --server east'))
    .action(act(async () => (await import('../commands/cells.ts')).addCell))
  group
    .command('move')
    .argument('<game>', 'id of the game')
    .argument('<cell>', 'its number, as "cells list" shows it')
    .description("move a game's statements to another cell while the game goes on")
    .addHelpText('after', examples('cells move 53b1e480-6d20-4c1b-9f0e-2f1f3f0c7f7a 2'))
    .action(act(async () => (await import('../commands/cells.ts')).moveGame))
  group
    .command('move-all')
    .argument('<from>', 'number of the cell, which gets no new games from then on')
    .argument('<to>', 'number of the cell that gets its games')
    .description('move all games of a cell, one after the other; when it is interrupted, run it again')
    .addHelpText('after', examples('cells move-all 1 2'))
    .action(act(async () => (await import('../commands/cells.ts')).moveAll))
  group
    .command('bring-back')
    .description('show statements in tables of a wrong cell, where no request finds them; with --yes bring them back')
    .option('--yes', 'bring them back: ids and bytes stay, "stored" is new')
    .option('--discard', 'with --yes: if the cell has the same id with other bytes, remove the misplaced statement')
    .addHelpText('after', examples('cells bring-back', 'cells bring-back --yes'))
    .action(act(async () => (await import('../commands/bring-back.ts')).bringBack))
  group
    .command('open')
    .argument('<cell>', 'its number')
    .description('let a cell get new games')
    .addHelpText('after', examples('cells open 2'))
    .action(act(async () => (await import('../commands/cells.ts')).openCell))
  group
    .command('close')
    .argument('<cell>', 'its number')
    .description('give a cell no new games; its own go on')
    .addHelpText('after', examples('cells close 2'))
    .action(act(async () => (await import('../commands/cells.ts')).closeCell))
}
