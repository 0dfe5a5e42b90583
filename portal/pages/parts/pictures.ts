import type { TextName } from '../../web/say.ts'

interface Picture {
  readonly emoji: string
  readonly text: TextName
}

/** By which a teacher knows who waits: at the place of its number. */
export const signs: readonly Picture[] = [
  { emoji: '🐱', text: 'picture.cat' },
  { emoji: '🐶', text: 'picture.dog' },
  { emoji: '🦊', text: 'picture.fox' },
  { emoji: '🐻', text: 'picture.bear' },
  { emoji: '🐼', text: 'picture.panda' },
  { emoji: '🦁', text: 'picture.lion' },
  { emoji: '🐯', text: 'picture.tiger' },
  { emoji: '🐮', text: 'picture.cow' },
  { emoji: '🐷', text: 'picture.pig' },
  { emoji: '🐸', text: 'picture.frog' },
  { emoji: '🐵', text: 'picture.monkey' },
  { emoji: '🐔', text: 'picture.chicken' },
  { emoji: '🐧', text: 'picture.penguin' },
  { emoji: '🦉', text: 'picture.owl' },
  { emoji: '🦆', text: 'picture.duck' },
  { emoji: '🐴', text: 'picture.horse' },
  { emoji: '🦄', text: 'picture.unicorn' },
  { emoji: '🐝', text: 'picture.bee' },
  { emoji: '🦋', text: 'picture.butterfly' },
  { emoji: '🐌', text: 'picture.snail' },
  { emoji: '🐢', text: 'picture.turtle' },
  { emoji: '🐙', text: 'picture.octopus' },
  { emoji: '🐠', text: 'picture.fish' },
  { emoji: '🐳', text: 'picture.whale' },
]

/** That pupils choose as a second mark beside their names: at the place of its number. */
export const pictures: readonly Picture[] = [
  { emoji: '🌞', text: 'picture.sun' },
  { emoji: '🌙', text: 'picture.moon' },
  { emoji: '⭐', text: 'picture.star' },
  { emoji: '💙', text: 'picture.heart' },
  { emoji: '⚽', text: 'picture.ball' },
  { emoji: '🍎', text: 'picture.apple' },
  { emoji: '🚗', text: 'picture.car' },
  { emoji: '🏠', text: 'picture.house' },
  { emoji: '🌻', text: 'picture.flower' },
  { emoji: '🍦', text: 'picture.ice' },
  { emoji: '🎈', text: 'picture.balloon' },
  { emoji: '🔑', text: 'picture.key' },
]
