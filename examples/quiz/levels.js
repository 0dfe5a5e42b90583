const drawing = (shapes) => `<svg class="picture" viewBox="0 0 48 48" aria-hidden="true">${shapes}</svg>`

export const pictures = {
  moon: drawing(
    '<circle cx="24" cy="24" r="19" fill="#f4eed4"/><circle cx="17" cy="18" r="4" fill="#d8cfa8"/><circle cx="30" cy="28" r="6" fill="#d8cfa8"/><circle cx="30" cy="13" r="2.5" fill="#d8cfa8"/><circle cx="16" cy="32" r="2.5" fill="#d8cfa8"/>',
  ),
  planet: drawing(
    '<circle cx="24" cy="24" r="13" fill="#e39a5b"/><path d="M12 20q12 5 24-1M11.5 27q12 5 25 0" stroke="#b96f35" stroke-width="2.5" fill="none"/><ellipse cx="24" cy="24" rx="22" ry="6" fill="none" stroke="#ffe2b8" stroke-width="2.5" transform="rotate(-18 24 24)" stroke-dasharray="52 26 60"/>',
  ),
  star: drawing(
    '<path d="M24 4l5.5 14.5L44 24l-14.5 5.5L24 44l-5.5-14.5L4 24l14.5-5.5z" fill="#ffd45e"/><path d="M39 5l1.5 4 4 1.5-4 1.5L39 16l-1.5-4-4-1.5 4-1.5z" fill="#fff3c9"/>',
  ),
  lock: drawing(
    '<rect x="12" y="22" width="24" height="18" rx="4" fill="#59629f"/><path d="M17 22v-6a7 7 0 0 1 14 0v6" fill="none" stroke="#59629f" stroke-width="4"/>',
  ),
}

/** The quiz: the first choice is the right one; the game shuffles them. */
export const levels = [
  {
    name: 'The Moon',
    picture: 'moon',
    questions: [
      {
        text: 'Why does the Moon shine?',
        choices: ['It reflects the light of the Sun', 'It is hot inside', 'Its ice glows', 'It burns slowly'],
        because: 'The Moon has no light of its own: we see sunlight that its grey dust sends back.',
      },
      {
        text: 'How long does the Moon take around the Earth?',
        choices: ['About 27 days', 'One day', 'A week', 'A year'],
        because:
          'Once around takes 27.3 days. From full moon to full moon it is 29.5, for the Earth moves on meanwhile.',
      },
      {
        text: 'Who walked on the Moon first?',
        choices: ['Neil Armstrong', 'Yuri Gagarin', 'Valentina Tereshkova', 'Sally Ride'],
        because: 'Neil Armstrong stepped out of Apollo 11 in July 1969.',
      },
      {
        text: 'What does the Moon pull twice a day?',
        choices: ['The tides of the sea', 'The clouds', 'The north pole', 'The wind'],
        because: 'Its gravity stretches the oceans, and the Earth turns below two bulges of water.',
      },
    ],
  },
  {
    name: 'The planets',
    picture: 'planet',
    questions: [
      {
        text: 'Which planet is the largest?',
        choices: ['Jupiter', 'Saturn', 'Neptune', 'Earth'],
        because: 'More than 1,300 Earths would fit into Jupiter.',
      },
      {
        text: 'On which planet is a day longer than a year?',
        choices: ['Venus', 'Mars', 'Mercury', 'Uranus'],
        because: 'Venus turns once in 243 days, but circles the Sun in 225.',
      },
      {
        text: 'Why is Mars red?',
        choices: ['Its dust is rusty', 'It is very hot', 'Plants grow there', 'It reflects Jupiter'],
        because: 'Its soil is full of iron oxide, which is rust.',
      },
      {
        text: 'What are Saturn’s rings made of?',
        choices: ['Ice and rock', 'Gas', 'Light', 'One solid disk'],
        because: 'Billions of pieces, from grains to houses, mostly of water ice.',
      },
    ],
  },
  {
    name: 'The stars',
    picture: 'star',
    questions: [
      {
        text: 'Which star is nearest to the Earth?',
        choices: ['The Sun', 'Proxima Centauri', 'Sirius', 'The Pole Star'],
        because: 'The Sun is a star. Its light needs eight minutes to us, that of Proxima Centauri four years.',
      },
      {
        text: 'Which stars are the hottest?',
        choices: ['Blue ones', 'Red ones', 'Yellow ones', 'Orange ones'],
        because: 'As with iron in a forge: red glows at 3,000 degrees, blue at 10,000 and more.',
      },
      {
        text: 'From what does a star get its energy?',
        choices: ['Fusion of hydrogen', 'Burning coal', 'Friction', 'Lightning'],
        because: 'Deep inside, hydrogen becomes helium. What is left over of its mass becomes light.',
      },
      {
        text: 'What is the Milky Way?',
        choices: ['Our galaxy', 'A comet’s tail', 'A cloud in the air', 'A planet'],
        because: 'A disk of some hundred billion stars; we see it from within, from its edge.',
      },
    ],
  },
]
