/** Words of nicknames: friendly, known to children, and no two that sound alike. */
const kinds = (
  'Amber Brave Bright Busy Calm Careful Cheerful Clever Cosy Curious Daring Dreamy Eager Fair Fancy ' +
  'Fearless Friendly ' +
  'Funny Gentle Gifted Golden Happy Helpful Honest Jolly Kind Lively Loyal Lucky Magic Merry Mighty ' +
  'Musical Neat Noble ' +
  'Orange Patient Playful Polite Proud Purple Quick Quiet Ready Royal Shiny Silver Smart Snowy Sparkling ' +
  'Steady Strong ' +
  'Sunny Swift Tidy Turquoise Violet Warm Witty Yellow'
).split(' ')
const animals = (
  'Alpaca Antelope Armadillo Badger Bear Beaver Bee Bison Butterfly Camel Cat Chameleon Cheetah Chicken ' +
  'Chipmunk Cobra ' +
  'Cricket Crocodile Deer Dolphin Donkey Dragonfly Duck Eagle Elephant Falcon Firefly Flamingo Fox Frog ' +
  'Gazelle Gecko ' +
  'Giraffe Goose Gorilla Hamster Hedgehog Heron Hippo Horse Hummingbird Iguana Jaguar Jellyfish Kangaroo ' +
  'Kingfisher Kiwi ' +
  'Koala Ladybird Lemur Leopard Lion Llama Lobster Lynx Magpie Meerkat Mole Moose Mouse Narwhal Newt ' +
  'Nightingale Octopus ' +
  'Orangutan Ostrich Otter Owl Panda Parrot Peacock Pelican Penguin Pony Puffin Rabbit Raccoon Raven Reindeer Robin ' +
  'Salamander Salmon Seahorse Seal Sparrow Spider Squirrel Starfish Stork Swallow Swan Tiger Tortoise Toucan Turtle ' +
  'Unicorn Walrus Whale Wolf Woodpecker Yak Zebra'
).split(' ')

/** Nicknames that a class can have at most: each animal is there once. */
export const mostNicknames = animals.length

/**
 * Nicknames for a class. No two have the same animal, so they are told apart when they are read aloud; only when all
 * animals are taken, one comes again with another first word.
 * @param taken names that the class has
 * @param random as Math.random
 */
export function nicknames(count: number, taken: readonly string[], random: () => number = Math.random): string[] {
  const used = new Set(taken.map(key))
  const free = animals.filter((animal) => !taken.some((name) => key(name).endsWith(` ${key(animal)}`)))
  const names: string[] = []
  while (names.length < count) {
    const from = free.length > 0 ? free : animals
    if (used.size >= kinds.length * animals.length) throw new RangeError('There are no more names.')
    const at = Math.floor(random() * from.length)
    const name = `${kinds[Math.floor(random() * kinds.length)]!} ${from[at]!}`
    if (used.has(key(name))) continue
    if (from === free) free.splice(at, 1)
    used.add(key(name))
    names.push(name)
  }
  return names
}

/** Names that people cannot tell apart have the same key. */
const key = (name: string): string => name.normalize('NFKC').toLowerCase()

/** The same names, each once: of those that are the same, or taken, the later ones get a number. */
export function toldApart(names: readonly string[], taken: readonly string[]): string[] {
  const used = new Set(taken.map(key))
  return names.map((name) => {
    let one = name
    for (let n = 2; used.has(key(one)); n++) one = `${name} (${n})`
    used.add(key(one))
    return one
  })
}
