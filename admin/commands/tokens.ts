import { agentOf } from '../agent.ts'
import { command } from '../command.ts'
import { amount, list, time } from '../show.ts'

export const commands = {
  mint: command({
    about: 'start a session',
    options: {
      '--key <key>': { about: 'credential of the game', required: true },
      '--agent <agent>': { about: 'the learner: JSON, an e-mail address, or homePage|name', required: true },
      '--registration <uuid>': 'registration of the session (default: a new one)',
    },
    examples: [
      'tokens mint --key 5f1e0c… --agent ann@example.org',
      "tokens mint --key 5f1e0c… --agent 'https://school.example|ann' --json",
    ],
    async run({ identity }, { key, agent, registration }) {
      const actor = agentOf(agent)
      const minted = await identity.mintLaunchToken({ key, actor, registration })
      const text = list({
        authorization: `Bearer ${minted.token}`,
        actor,
        registration: minted.registration,
        expires: `${time(minted.expires)} UTC`,
      })
      return { json: minted, text }
    },
  }),
  inspect: command({
    about: 'verify a token and show its game, learner and registration',
    takes: { '<token>': 'the launch token' },
    examples: ['tokens inspect eyJhbGciOi…'],
    async run({ identity }, { token }) {
      const found = await identity.inspectLaunchToken({ token: bare(token) })
      const { gameId, key, actor, registration, expires } = found
      return { json: found, text: list({ game: gameId, key, actor, registration, expires: `${time(expires)} UTC` }) }
    },
  }),
  end: command({
    about: 'end the session of a token, or all player sessions of a learner, now',
    takes: { '<session>': 'a token, or the id of a learner: the account name in statements' },
    examples: ['tokens end eyJhbGciOi…', 'tokens end 0b9f3a56-6f0c-4d58-9d5e-2f1f0c1f7c11'],
    async run({ identity }, { session }) {
      const isLearner = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(session)
      const sessions = { case: isLearner ? 'learnerId' : 'token', value: bare(session) } as const
      const { ended } = await identity.endSessions({ sessions })
      const text = `Ended ${amount(ended, 'session')}: their tokens are refused from now on.`
      return { json: { ended }, text: ended === 0 ? 'No session was running.' : text }
    },
  }),
}

const bare = (token: string): string => token.replace(/^Bearer +/i, '')
