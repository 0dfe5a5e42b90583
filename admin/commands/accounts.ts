import type { Work } from '../session.ts'

export const resetSecondFactor: Work<object> = async (session, [email]) => {
  const { sessions } = await (await session.connect()).signIn.resetSecondFactor({ email })
  const text = `${email} signs in without a second factor now. Sessions that ended: ${sessions}.`
  return { json: { email: email!, sessions }, text }
}
