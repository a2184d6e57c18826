import { Anchor, Group, Image, Stack } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { fileQuery } from '../api/files.ts'
import { t } from '../language/index.ts'
import { Quiet } from '../parts/index.ts'
import { filesIn } from './files-in.ts'

interface GivenFilesProps {
  readonly content: unknown
  /** id of the line that brings them */
  readonly told: string
}

/** The files that words bring. */
export function GivenFiles({ content, told }: GivenFilesProps) {
  const ids = filesIn(content)
  return ids.length === 0 ? null : (
    <Group gap="xs" mt={4}>
      {ids.map((id) => (
        <GivenFile key={id} id={id} told={told} />
      ))}
    </Group>
  )
}

/**
 * A picture as it is, and any other file by its name; both are saved by a click. The bytes come by our own
 * request and stay in the page: nothing in them runs, and the server calls only plain pictures pictures.
 * @param told null where no words tell of it
 */
export function GivenFile({ id, told }: { readonly id: string; readonly told: string | null }) {
  const { ref, inViewport } = useInViewport()
  const { data, error } = useQuery({ ...fileQuery(id, told), enabled: inViewport })
  const url = useBlobUrl(data?.blob)
  const isPicture = data?.blob.type.startsWith('image/') === true
  return (
    <Stack gap={2} ref={ref}>
      {error !== null ? <Quiet size="xs">{t('matter:{{id}} cannot be shown to you', { id })}</Quiet> : null}
      {error === null && (data === undefined || url === null) ? (
        <Quiet size="xs">{t('matter:{{id}}', { id })}</Quiet>
      ) : null}
      {data !== undefined && url !== null ? (
        <Anchor size="sm" href={url} download={data.name}>
          {isPicture ? (
            <Image src={url} alt={data.name} mah={240} maw={320} fit="contain" radius="sm" />
          ) : null}
          {data.name}
        </Anchor>
      ) : null}
    </Stack>
  )
}

/** An address of bytes in this page, until they are not shown any more. */
function useBlobUrl(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (blob === undefined) return
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url
}
