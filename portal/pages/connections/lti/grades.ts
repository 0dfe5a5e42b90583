import { LtiGradeState as State, type LtiGrade } from '../../../../gen/lrs/v1/lti_pb.js'
import type { SchoolClass } from '../../../../gen/lrs/v1/schools_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Say, TextName } from '../../../web/say.ts'
import type { SignedIn } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { button, hidden } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { table } from '../../parts/table.ts'

const states: Readonly<Record<State, readonly [TextName, string]>> = {
  [State.UNSPECIFIED]: ['grade.waits', 'muted'],
  [State.NONE]: ['grade.none', 'muted'],
  [State.WAITS]: ['grade.waits', 'warn'],
  [State.SENT]: ['grade.sent', 'good'],
  [State.REFUSED]: ['grade.refused', 'bad'],
  [State.NOT_TAKEN]: ['grade.notTaken', 'warn'],
}

const stateCell = (say: Say, { state, sent, problem }: LtiGrade): Html => {
  const [name, look] = states[state]
  return html`<span class="badge ${look}">${say(name)}</span>${
    state === State.SENT && html` ${moment(sent, 'minute', say.language)}`
  }${problem !== '' && html`<br>${problem}`}`
}

/** What has become of the grades of a class in its learning platform. */
export function gradesPage(visit: SignedIn, { classId, name }: SchoolClass, grades: readonly LtiGrade[]): Html {
  const { say } = visit
  const path = `/classes/${classId}`
  return layout(
    visit,
    say.text('grade.title'),
    grades.length === 0
      ? html`<div class="card empty"><p class="muted">${say('grade.empty')}</p></div>`
      : table(
          say.text('grade.title'),
          [say.text('grade.pupil'), say.text('grade.link'), say.text('grade.score'), say.text('grade.state')],
          grades.map((grade) => [
            grade.pupilName,
            grade.link,
            grade.score === undefined ? '–' : `${say.number(grade.score * 100)} %`,
            html`${stateCell(say, grade)}${
              grade.score !== undefined &&
              html`<br>${button(visit, `${path}/grades`, say('grade.again'), {
                about: `${grade.pupilName}, ${grade.link}`,
                fields: hidden('grade', grade.gradeId),
              })}`
            }`,
          ]),
        ),
    {
      inLanguage: true,
      lead: say.text('grade.lead'),
      trail: [
        { href: '/classes', text: say.text('school.classes') },
        { href: path, text: name },
      ],
      done: visit.query('done') === 'again' ? say.text('grade.done') : undefined,
    },
  )
}
