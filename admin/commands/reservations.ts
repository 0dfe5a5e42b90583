import { command } from '../command.ts'
import { table, time } from '../show.ts'

const studio = 'id, e-mail address or slug'

export const commands = {
  list: command({
    about: 'list reserved prefixes with their studios',
    takes: { '[studio]': `${studio}; default: all studios` },
    examples: ['reservations list', 'reservations list blue-fox --json'],
    async run({ reservations }, { studio = '' }) {
      const found = await reservations.listReservations({ studio })
      const text = table(found.reservations, 'Nothing is reserved.', {
        prefix: ({ prefix }) => prefix,
        studio: ({ studioName }) => studioName,
        slug: ({ studioSlug }) => studioSlug,
        'since (UTC)': ({ granted }) => time(granted),
      })
      return { json: found, text }
    },
  }),
  grant: command({
    about: 'reserve a prefix for a studio',
    takes: { '<studio>': studio, '<prefix>': 'http or https, with a slash at its end' },
    examples: ['reservations grant blue-fox https://blue-fox.example/quiz/'],
    async run({ reservations }, { studio, prefix }) {
      await reservations.reserve({ studio, prefix })
      const text = `Reserved for ${studio}: ${prefix}\nEvery core applies it within 5 seconds.`
      return { json: { studio, prefix }, text }
    },
  }),
  withdraw: command({
    about: 'let all games change these activities again',
    takes: { '<prefix>': 'as "reservations list" shows it' },
    examples: ['reservations withdraw https://blue-fox.example/quiz/'],
    async run({ reservations }, { prefix }) {
      await reservations.withdrawReservation({ prefix })
      return { json: { prefix }, text: `No longer reserved: ${prefix}\nEvery core applies it within 5 seconds.` }
    },
  }),
}
