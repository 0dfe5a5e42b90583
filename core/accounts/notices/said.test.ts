import { afterAll, expect, test } from 'vitest'
import english from '../../../portal/texts/en.json' with { type: 'json' }
import { addMadeUpLanguage, madeUp, untranslated } from '../../../test/support/made-up-language.ts'
import { teamNotices } from '../command/team-notices.ts'
import { memberRoles } from '../rules/roles.ts'
import { renderMail } from './render.ts'
import { wordsOf } from './said.ts'
import * as texts from './texts.ts'

afterAll(addMadeUpLanguage(english))

const mails = [
  texts.confirmSignUp,
  texts.hasAccount,
  texts.newPassword,
  texts.verifyAddress,
  texts.newAddress,
  texts.passwordReset,
  texts.passwordChanged,
  texts.addressChanged('a@b.example'),
  texts.addressChanged(),
  texts.unknownBrowser(new Date(0)),
  texts.unknownBrowser(new Date(0), 'Firefox'),
  ...memberRoles.flatMap((role) => [
    teamNotices.invited('Hill', role, 7),
    teamNotices.joined('Hill', 'a@b.example', role),
    teamNotices.role('Hill', role),
  ]),
  teamNotices.left('Hill', 'a@b.example'),
  teamNotices.removed('Hill'),
]

test.each(mails)('$says.name, $says.values.role has no text that is not in the catalogue', (mail) => {
  const text = { ...mail, ...wordsOf(mail.says!, madeUp) }
  const { html } = renderMail(text, 'https://lrs.example/x', 'link', '', madeUp)
  expect(html).toContain(`<html lang="${madeUp}">`)
  expect(untranslated(html, ['Hill', 'a@b.example', 'Firefox', 'https://lrs.example/x'])).toEqual([])
})
