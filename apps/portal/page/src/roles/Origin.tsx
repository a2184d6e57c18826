import { Badge } from '@mantine/core'

interface Origin {
  readonly origin: string
  readonly author: string | null
  readonly deleted: boolean
}

export const originText = ({ origin, author, deleted }: Origin): string => {
  if (deleted) return `deleted; ${author ?? 'an extension'} wrote it`
  if (origin === 'live') return `written by ${author ?? 'nobody'}`
  return origin === 'seed' ? 'part of every reality' : `of the extension ${origin}`
}

export function OriginBadge({ origin, deleted }: Origin) {
  if (deleted)
    return (
      <Badge color="gray" tt="uppercase">
        deleted
      </Badge>
    )
  return <Badge color={origin === 'live' ? 'leaf' : 'gray'}>{origin}</Badge>
}
