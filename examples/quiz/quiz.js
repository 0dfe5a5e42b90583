import { readLaunch } from './launch.js'
import { levels, pictures } from './levels.js'
import { duration, reporter } from './report.js'

const stage = document.querySelector('main')
const connection = document.querySelector('#connection')
const stateId = 'star-trail'
const texts = {
  sent: 'Connected: your results are saved.',
  waiting: 'The connection is slow; your results are sent later.',
  refused: 'Some results were not accepted.',
}

const launch = await readLaunch()
const report = reporter(launch, (status) => (connection.textContent = texts[status]))
connection.textContent = launch
  ? `Playing as ${launch.actor.name ?? 'a learner'}.`
  : 'Not connected: nothing is reported.'

/** Progress of the player: the best score of each level, in right answers. */
let saved = { best: [0, 0, 0] }
const before = await report.load(stateId)
if (Array.isArray(before?.best)) saved = before

// ---- what is reported

const idOf = (...path) => [launch?.activityId, ...path].join('/')
const named = (name, type) => ({ name: { en: name }, type: `http://adlnet.gov/expapi/activities/${type}` })
const levelOf = (level) => ({
  id: idOf('levels', level + 1),
  definition: named(`Level ${level + 1}: ${levels[level].name}`, 'module'),
})

function questionOf(level, number) {
  const { text, choices } = levels[level].questions[number]
  return {
    id: idOf('levels', level + 1, 'questions', number + 1),
    parent: levelOf(level).id,
    definition: {
      ...named(text, 'cmi.interaction'),
      interactionType: 'choice',
      choices: choices.map((choice, index) => ({ id: `choice-${index}`, description: { en: choice } })),
      correctResponsesPattern: ['choice-0'],
    },
  }
}

const game = { definition: named('Star Trail', 'assessment') }
report.send('initialized', game)
addEventListener('pagehide', () => report.leave(game))
// phones close pages that are out of sight without a word
document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && report.flush())

// ---- what is shown

/** @param content HTML of our own texts only; what others wrote goes in as text. */
function show(content, focus) {
  stage.innerHTML = content
  stage.querySelector(focus ?? 'h1')?.focus()
}

const starsOf = (level) => Math.max(0, saved.best[level] - 1)
const stars = (count) =>
  `<span class="stars" role="img" aria-label="${count} of 3 stars">${'★'.repeat(count)}<i>${'★'.repeat(3 - count)}</i></span>`

function showMap() {
  const isOpen = (level) => level === 0 || saved.best[level - 1] >= 2
  show(`
    <h1 tabindex="-1">Star Trail</h1>
    <p>Three levels, from the Moon to the stars. Two right answers open the next.</p>
    <ol class="map">${levels
      .map(
        ({ name, picture }, level) => `
      <li><button class="planet" data-level="${level}" ${isOpen(level) ? '' : 'disabled'}>
        ${pictures[isOpen(level) ? picture : 'lock']}
        <strong>Level ${level + 1}</strong> ${name} ${stars(starsOf(level))}
      </button></li>`,
      )
      .join('')}
    </ol>`)
  for (const button of stage.querySelectorAll('.planet'))
    button.addEventListener('click', () => showQuestion(Number(button.dataset.level), 0, 0, Date.now()))
}

function showQuestion(level, number, right, began) {
  const { text, choices, because } = levels[level].questions[number]
  const asked = Date.now()
  const order = shuffled(choices.map((_, index) => index))
  show(`
    <p class="where">${pictures[levels[level].picture]} Level ${level + 1} · question ${number + 1} of ${levels[level].questions.length}</p>
    <div class="trail" aria-hidden="true">${levels[level].questions.map((_, index) => `<i class="${index < number ? 'done' : ''}${index === number ? 'here' : ''}"></i>`).join('')}</div>
    <h1 tabindex="-1">${text}</h1>
    <div class="choices">${order.map((choice, place) => `<button data-choice="${choice}"><kbd>${place + 1}</kbd> ${choices[choice]}</button>`).join('')}</div>
    <div class="feedback" role="status"></div>`)
  const buttons = [...stage.querySelectorAll('[data-choice]')]
  for (const button of buttons) button.addEventListener('click', () => answer(Number(button.dataset.choice)))

  function answer(choice) {
    const success = choice === 0
    for (const button of buttons) {
      button.disabled = true
      if (button.dataset.choice === '0') button.classList.add('right')
      else if (Number(button.dataset.choice) === choice) button.classList.add('wrong')
    }
    report.send('answered', questionOf(level, number), {
      result: {
        success,
        response: `choice-${choice}`,
        score: { scaled: success ? 1 : 0 },
        duration: duration(Date.now() - asked),
      },
    })
    const all = right + (success ? 1 : 0)
    const isLast = number + 1 === levels[level].questions.length
    stage.querySelector('.feedback').innerHTML = `
      <p><strong>${success ? 'Right!' : `It is: ${choices[0]}.`}</strong> ${because}</p>
      <button class="next">${isLast ? 'Finish the level' : 'Next question'}</button>`
    const next = stage.querySelector('.next')
    next.addEventListener('click', () =>
      isLast ? finish(level, all, began) : showQuestion(level, number + 1, all, began),
    )
    next.focus()
  }
}

function finish(level, right, began) {
  const count = levels[level].questions.length
  saved.best[level] = Math.max(saved.best[level], right)
  report.send('completed', levelOf(level), {
    result: {
      completion: true,
      success: right >= 2,
      score: { scaled: right / count, raw: right, min: 0, max: count },
      duration: duration(Date.now() - began),
    },
  })
  const passed = saved.best.filter((best) => best >= 2).length
  report.send('progressed', game, {
    result: {
      extensions: {
        'https://w3id.org/xapi/cmi5/result/extensions/progress': Math.round((passed / levels.length) * 100),
      },
    },
  })
  if (passed === levels.length && level === levels.length - 1) {
    const scaled = saved.best.reduce((sum, best) => sum + best, 0) / (count * levels.length)
    report.send('completed', game, { result: { completion: true, success: true, score: { scaled } } })
  }
  void report.flush() // the end of a level is worth a request
  void report.save(stateId, saved)
  show(
    `
    <p class="where">${pictures[levels[level].picture]} Level ${level + 1} · ${levels[level].name}</p>
    <h1 tabindex="-1">${right} of ${count} right</h1>
    <p class="big">${stars(Math.max(0, right - 1))}</p>
    <p>${right === count ? 'Perfect. Nobody could do better.' : right >= 2 ? 'Well done: the way goes on.' : 'Almost. Try the level again.'}</p>
    <button class="next">Back to the trail</button>`,
    '.next',
  )
  stage.querySelector('.next').addEventListener('click', showMap)
}

function shuffled(list) {
  for (let last = list.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1))
    ;[list[last], list[other]] = [list[other], list[last]]
  }
  return list
}

addEventListener('keydown', ({ key }) => {
  if (/^[1-4]$/.test(key)) stage.querySelectorAll('.choices button')[Number(key) - 1]?.click()
})

showMap()
