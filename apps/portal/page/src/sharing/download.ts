/** Leaves a text as a file with whoever looks. */
export function download(name: string, type: 'application/json' | 'text/markdown', text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), FILE_KEPT_MS)
}

/** A browser reads the file after the press. */
const FILE_KEPT_MS = 10_000

/** A name of a file from what it is of: letters, digits and hyphens. */
export const fileNameOf = (...parts: readonly (string | number)[]): string =>
  parts
    .join('-')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, FILE_NAME_CHARS_MAX)
const FILE_NAME_CHARS_MAX = 80
