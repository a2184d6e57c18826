import { crc32, deflateSync } from 'node:zlib'

/** A picture of one colour. */
export function png(width = 2, height = 2, rgb: readonly [number, number, number] = [255, 0, 0]): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    check.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, check])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2], 8) // 8 bits of red, green and blue
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(3 * width, Buffer.from(rgb))])
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A PDF with a page for each stream. @param filter of the streams, as in `/FlateDecode` */
export function pdf(streams: readonly Buffer[], filter = ''): Buffer {
  const kids = streams.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const add = (n: number, body: string | Buffer) =>
    parts.push(Buffer.from(`${n} 0 obj\n`), Buffer.from(body), Buffer.from('\nendobj\n'))
  add(1, '<< /Type /Catalog /Pages 2 0 R >>')
  add(2, `<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`)
  add(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  for (const [i, stream] of streams.entries()) {
    const n = 4 + 2 * i
    add(
      n,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Resources << /Font << /F1 3 0 R >> >> /Contents ${n + 1} 0 R >>`,
    )
    const head = `<< /Length ${stream.length}${filter === '' ? '' : ` /Filter ${filter}`} >>\nstream\n`
    add(n + 1, Buffer.concat([Buffer.from(head), stream, Buffer.from('\nendstream')]))
  }
  parts.push(Buffer.from('trailer << /Root 1 0 R >>\n%%EOF\n'))
  return Buffer.concat(parts)
}

/** The stream of a page that says one line. */
export const pageSaying = (text: string): Buffer =>
  Buffer.from(`BT /F1 12 Tf 20 200 Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`)
