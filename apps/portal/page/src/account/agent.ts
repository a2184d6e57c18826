import { t } from '../language/index.ts'

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
]

/** What a browser says of itself, for people; any program can say anything. */
export function browserIn(agent: string): string {
  const of = (known: typeof BROWSERS) => known.find(([pattern]) => pattern.test(agent))?.[1]
  const [browser, system] = [of(BROWSERS), of(SYSTEMS)]
  if (browser === undefined) return agent === '' ? t('Another program') : agent.slice(0, 60)
  return system === undefined ? browser : t('{{browser}} on {{system}}', { browser, system })
}
