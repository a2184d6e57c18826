const ALWAYS_THERE = [
  'verb',
  'wake.kind',
  'caller.role',
  'caller.cognition',
  'space.name',
  'inHomeSpace',
  'time.hour',
  'time.dayOfWeek',
  'time.sinceLastMoment',
  'me.previousRole',
  'moment.outside',
] as const

/**
 * Fields that a sentence may ask. Qualities and signals of any name may be typed.
 * @param signals as flows read them
 */
export const testFields = (signals: readonly string[]): string[] => [
  ...ALWAYS_THERE,
  ...signals,
  'world.',
  'me.quality.',
  'space.quality.',
]
