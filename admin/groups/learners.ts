import type { Command } from 'commander'
import { count } from './audit.ts'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const who = 'JSON of the Agent, an e-mail address, or homePage|name'

export function learners(program: Command, act: Act): void {
  const group = program
    .command('learners')
    .description('learners of a game, and all data about one, for privacy requests')
  group
    .command('find')
    .argument('<text>', 'beginnings of words of the name or account; upper and lower case are the same')
    .description('find learners of a game; "export" and "erase" take the agents that it prints')
    .requiredOption('--game <game>', 'id or slug of the game')
    .option('--sandbox', 'learners of its sandbox')
    .option('--limit <n>', 'how many at most', count, 50)
    .addHelpText('after', examples('learners find mia --game star-trail', 'learners find "mia sch" --game star-trail'))
    .action(act(async () => (await import('../commands/find-learners.ts')).findLearners))
  group
    .command('list')
    .description('list learners of a game, the last seen first')
    .requiredOption('--game <game>', 'id or slug of the game')
    .option('--sandbox', 'learners of its sandbox')
    .option('--limit <n>', 'how many at most', count, 50)
    .addHelpText('after', examples('learners list --game star-trail', 'learners list --game star-trail --limit 500'))
    .action(act(async () => (await import('../commands/find-learners.ts')).listLearners))
  group
    .command('export')
    .argument('<agent>', who)
    .description('export all data about a learner from all games, as lines of JSON')
    .option('--out <file>', 'file to write (default: stdout)')
    .addHelpText(
      'after',
      examples('learners export ann@example.org --out ann.ndjson', "learners export 'https://school.example|ann'"),
    )
    .action(act(async () => (await import('../commands/export-learner.ts')).exportLearner))
  group
    .command('erase')
    .argument('<agent>', who)
    .description('erase all data about a learner for good and show the receipt')
    .option('--preview', 'only count what would be erased')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('learners erase ann@example.org --preview', 'learners erase ann@example.org'))
    .action(act(async () => (await import('../commands/erase-learner.ts')).eraseLearner))
  group
    .command('share-names')
    .description('allow LRS_TENANCY=shared on a store that ran with LRS_TENANCY=isolated')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('learners share-names'))
    .action(act(async () => (await import('../commands/share-names.ts')).shareNames))
}
