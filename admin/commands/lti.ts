import { command } from '../command.ts'

export const commands = {
  'rotate-keys': command({
    about: 'sign with a new key; platforms are served the one before for a day',
    examples: ['lti rotate-keys'],
    async run({ lti }) {
      const { keyId } = await lti.rotateLtiKeys({})
      return { json: { keyId }, text: `The new key: ${keyId}` }
    },
  }),
}
