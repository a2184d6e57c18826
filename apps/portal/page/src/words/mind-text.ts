import { t } from '../language/index.ts'

const MINDS: Readonly<Record<string, string>> = {
  llm: t('llm'),
  human: t('human'),
  scripted: t('scripted'),
}

/** Who decides for a being, in one word. */
export const mindText = (cognition: string): string => MINDS[cognition] ?? cognition
