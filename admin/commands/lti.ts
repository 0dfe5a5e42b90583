import { command } from '../command.ts'

export const commands = {
  'rotate-keys': command({
    about: 'have a school sign with a new key; platforms are served the one before for a day',
    takes: { '<school>': 'id, as in the addresses on its page of platforms' },
    examples: ['lti rotate-keys 4f6c1f0e-7d6b-4a55-9c0e-3f4b1a2c9d10'],
    async run({ lti }, { school: schoolId }) {
      const { keyId } = await lti.rotateLtiKeys({ schoolId })
      return { json: { keyId }, text: `The new key: ${keyId}` }
    },
  }),
}
