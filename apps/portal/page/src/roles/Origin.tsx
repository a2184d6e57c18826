import { Badge } from '@mantine/core'
import { t } from '../language/index.ts'

interface Origin {
  readonly origin: string
  readonly author: string | null
  readonly deleted: boolean
}

/** Where a role is from; an extension has its name. */
const ORIGINS: Readonly<Record<string, string>> = {
  live: t('live', { context: 'origin' }),
  seed: t('seed'),
}

export const originText = ({ origin, author, deleted }: Origin): string => {
  if (deleted) return t('deleted; {{author}} wrote it', { author: author ?? t('an extension') })
  if (origin === 'live') return t('written by {{author}}', { author: author ?? t('nobody') })
  return origin === 'seed' ? t('part of every reality') : t('of the extension {{origin}}', { origin })
}

export function OriginBadge({ origin, deleted }: Origin) {
  if (deleted)
    return (
      <Badge color="gray" tt="uppercase">
        {t('deleted')}
      </Badge>
    )
  return <Badge color={origin === 'live' ? 'leaf' : 'gray'}>{ORIGINS[origin] ?? origin}</Badge>
}
