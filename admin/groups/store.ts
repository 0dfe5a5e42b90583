import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

export function store(program: Command, act: Act): void {
  const quotas = program.command('quotas').description('quotas of a studio')
  quotas
    .command('show')
    .argument('<studio>', 'id, e-mail address or slug')
    .description('show usage and limits of a studio')
    .addHelpText('after', examples('quotas show blue-fox'))
    .action(act(async () => (await import('../commands/quotas.ts')).showQuotas))
  quotas
    .command('set')
    .argument('<studio>', 'id, e-mail address or slug')
    .argument('<quota>', 'as "quotas show" names it')
    .argument('<limit>', 'a number, bytes such as 40GB, or "default"')
    .description('change a quota of one studio')
    .addHelpText(
      'after',
      examples('quotas set blue-fox storage 40GB', 'quotas set blue-fox games 50', 'quotas set blue-fox games default'),
    )
    .action(act(async () => (await import('../commands/quotas.ts')).setQuota))

  program
    .command('storage')
    .description('show what builds and files take, and the largest games')
    .addHelpText('after', examples('storage', 'storage --json'))
    .action(act(async () => (await import('../commands/operator.ts')).showStorage))
  program
    .command('jobs')
    .description('show background jobs of core: sweeps, counts, imports; the last run and its outcome')
    .addHelpText('after', examples('jobs', 'jobs --json'))
    .action(act(async () => (await import('../commands/operator.ts')).listJobs))
  program
    .command('limits')
    .description('list every limit that is enforced')
    .addHelpText('after', examples('limits', 'limits --json'))
    .action(act(async () => (await import('../commands/limits.ts')).listLimits))
  program
    .command('status')
    .description('show versions, sizes, calls and lag')
    .addHelpText('after', examples('status', 'status --json | jq -r .lag'))
    .action(act(async () => (await import('../commands/status.ts')).showStatus))
  program
    .command('doctor')
    .description(
      'find problems and unsafe settings and say what to do; the exit code is 1 when something does not work',
    )
    .addHelpText('after', examples('doctor', 'doctor --profile live --json'))
    .action(act(async () => (await import('../commands/doctor.ts')).examine))

  program
    .command('seal-secrets')
    .description('seal every secret in the database with the first key of LRS_SECRET_KEYS and say how many')
    .addHelpText('after', examples('seal-secrets'))
    .action(act(async () => (await import('../commands/seal-secrets.ts')).sealSecrets))
  program
    .command('migrate')
    .description('migrate the schema of DATABASE_URL, or of the database of npm start, to this version')
    .addHelpText('after', examples('migrate'))
    .action(act(async () => (await import('../commands/migrate.ts')).migrate))
  program
    .command('backup')
    .argument('[file]', 'archive to write (default: a name with the time)')
    .description('copy the stopped store of npm start: database, storage and secrets')
    .option('--force', 'overwrite the file')
    .addHelpText('after', examples('backup', 'backup /backup/games-lrs.tar.gz --force'))
    .action(act(async () => (await import('../commands/backup.ts')).backup))
  program
    .command('restore')
    .argument('<file>', 'the backup')
    .description('restore a backup into the data folder of npm start')
    .option('--force', 'restore even if there is data; the old data is moved aside')
    .addHelpText(
      'after',
      examples('restore games-lrs-2026-11-21T0930.tar.gz', 'restore games-lrs-2026-11-21T0930.tar.gz --force'),
    )
    .action(act(async () => (await import('../commands/restore.ts')).restore))
}
