import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

export function reservations(program: Command, act: Act): void {
  const group = program
    .command('reservations')
    .description('reserve activities below an IRI prefix for the games of one studio')
  const studio = ['id, e-mail address or slug'] as const
  group
    .command('list')
    .argument('[studio]', `${studio}; default: all studios`)
    .description('list reserved prefixes with their studios')
    .addHelpText('after', examples('reservations list', 'reservations list blue-fox --json'))
    .action(act(async () => (await import('../commands/reservations.ts')).listReservations))
  group
    .command('grant')
    .argument('<studio>', ...studio)
    .argument('<prefix>', 'http or https, with a slash at its end')
    .description('reserve a prefix for a studio')
    .addHelpText('after', examples('reservations grant blue-fox https://blue-fox.example/quiz/'))
    .action(act(async () => (await import('../commands/reservations.ts')).grant))
  group
    .command('withdraw')
    .argument('<prefix>', 'as "reservations list" shows it')
    .description('let all games change these activities again')
    .addHelpText('after', examples('reservations withdraw https://blue-fox.example/quiz/'))
    .action(act(async () => (await import('../commands/reservations.ts')).withdraw))
}
