/** Further questions of each scene, made from lists: as many different ones as a count of answers needs. */

export interface Question {
  readonly text: string
  /** what a right answer says; null: any plain words do */
  readonly fact: RegExp | null
}

export const ask = (text: string, fact: RegExp | null = null): Question => ({ text, fact })

// The recorded weather is the same everywhere.
export const WARM = /6[.,]4|\b6 (degrees|°)/i
export const WINDY = /17[.,]3|\b17 k/i
export const WEATHER = new RegExp(`rain|${WARM.source}|${WINDY.source}`, 'i')
export const WET = /rain|yes/i

/** Every text with every word in place of `…`, the first text with all words first. */
const each = (
  words: readonly string[],
  texts: readonly (readonly [text: string, fact: RegExp | null])[],
): Question[] => texts.flatMap(([text, fact]) => words.map((word) => ask(text.replaceAll('…', word), fact)))

const NUMBERS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  )

const SUMS = [3, 5, 7, 9].flatMap((one) =>
  [2, 4, 6, 8, 10].map((other) => {
    const sum = one + other
    return ask(
      `What is ${NUMBERS[one]} and ${NUMBERS[other]}?`,
      new RegExp(`\\b(${sum}|${NUMBERS[sum]})\\b`, 'i'),
    )
  }),
)

const QUARRELS = ['a goat', 'a well', 'a fence', 'an old debt', 'a field', 'a horse', 'a wall', 'a boat']
const BY_THE_SEA = ['waves', 'the shore', 'ebb and flow', 'sailors', 'high water', 'the coast', 'the tide']
const AT_THE_LOOM = ['weaving', 'cloth', 'wool', 'threads', 'weavers', 'warp and weft', 'a loom']
const GOODS = ['wheat', 'copper', 'oil', 'coffee', 'wool', 'salt', 'timber', 'silver', 'rice', 'glass']
const PLACES = [
  'Madrid (40.4, -3.7)',
  'Rome (41.9, 12.5)',
  'Vienna (48.2, 16.4)',
  'Warsaw (52.2, 21.0)',
  'Lisbon (38.7, -9.1)',
  'Athens (38.0, 23.7)',
  'Dublin (53.3, -6.3)',
  'Cairo (30.0, 31.2)',
  'Nairobi (-1.3, 36.8)',
  'Delhi (28.6, 77.2)',
  'Lima (-12.0, -77.0)',
  'Sydney (-33.9, 151.2)',
]

/** By scene. */
export const MORE_QUESTIONS: Readonly<Record<string, readonly Question[]>> = {
  court: [
    ...each(QUARRELS, [
      ['Two neighbours quarrel about …. What do you say?', null],
      ['Somebody asks who owns …. Is it for you to rule today?', null],
    ]),
    ...SUMS,
    ...each(
      ['Where are you?', 'Which place is this?', 'Describe this room.', 'In which space do you stand?'],
      [
        ['…', /court/i],
        ['I am new here. …', /court/i],
      ],
    ),
  ],
  librarian: [
    ...each(BY_THE_SEA, [
      ['Is there a title about …?', /tides/i],
      ['I would like to read about …. Which title is it?', /tides/i],
    ]),
    ...each(AT_THE_LOOM, [
      ['Is there a title about …?', /loom/i],
      ['I would like to read about …. Which title is it?', /loom/i],
    ]),
    ...each(
      ['my sister', 'a child', 'a sailor', 'a weaver', 'a guest', 'an old friend'],
      [
        ['Which title is good for …?', /tides|loom/i],
        ['May … come with me?', null],
      ],
    ),
  ],
  lineage: each(GOODS, [
    ['What do you know about the price of …?', null],
    ['Should we buy … this week?', null],
    ['Do you watch the market for …?', null],
    ['Who else should look at …?', null],
    ['Say in one sentence what your task has to do with ….', /market|monitor|watch/i],
  ]),
  tool: each(PLACES, [
    ['What is the weather in …?', WEATHER],
    ['How warm is it in …?', WARM],
    ['How strong is the wind in …?', WINDY],
    ['Do I need an umbrella in …?', WET],
  ]),
}
