import { queryOptions } from '@tanstack/react-query'
import { ask } from './client.ts'

/**
 * Gives a file, which becomes a thing of the person.
 * @param key names the request: the same file sent again after a fault is one thing
 * @returns the address of the thing
 */
export async function giveFile(file: File, key: string): Promise<string> {
  const response = await ask(`/api/v1/files?name=${encodeURIComponent(file.name)}`, {
    method: 'POST',
    body: file,
    headers: { 'content-type': file.type || 'application/octet-stream', 'idempotency-key': key },
  })
  return ((await response.json()) as { readonly thing: string }).thing
}

/** The bytes of a file and its name. @param told id of the line that names it; null for none */
export const fileQuery = (id: string, told: string | null) =>
  queryOptions({
    queryKey: ['file', id, told],
    queryFn: async ({ signal }) => {
      const by = told === null ? '' : `?told=${encodeURIComponent(told)}`
      const response = await ask(`/api/v1/files/${id}${by}`, { signal })
      const [, name = id] =
        /filename\*=UTF-8''(\S+)/.exec(response.headers.get('content-disposition') ?? '') ?? []
      return { name: decodeURIComponent(name), blob: await response.blob() }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  })
