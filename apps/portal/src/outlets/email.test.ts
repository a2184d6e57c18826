import { createServer, type Server, type Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import { afterEach, expect, it } from 'vitest'
import { transportOf } from './email.ts'

let server: Server | null = null
afterEach(() => server?.close())

it.each([
  ['smtp://name:password@mail.example.org:587', true],
  ['smtp://mail.example.org', true],
  ['smtp://127.evil.example', true],
  ['smtps://mail.example.org', false], // it begins with TLS
  ['smtp://127.0.0.1:2525', false],
  ['smtp://localhost', false],
])('%s needs STARTTLS: %s', (url, needs) => expect(transportOf({ url }).requireTLS).toBe(needs))

it('no password is sent to a server whose offer of STARTTLS somebody took away', async () => {
  let heard = ''
  server = createServer((socket: Socket) => {
    socket.write('220 mail\r\n')
    socket.on('error', () => undefined)
    socket.on('data', (part) => {
      heard += part
      socket.write(/^EHLO/im.test(String(part)) ? '250-mail\r\n250 AUTH PLAIN LOGIN\r\n' : '502 no\r\n')
    })
  })
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  // As beyond this machine.
  const options = { ...transportOf({ url: `smtp://ann:secret-7f3a@127.0.0.1:${port}` }), requireTLS: true }
  const sending = createTransport(options).sendMail({ from: 'a@b.org', to: 'c@d.org', text: 'inbox' })
  await expect(sending).rejects.toThrow()
  expect(heard).toContain('EHLO')
  expect(heard).not.toContain('AUTH')
  expect(heard).not.toContain(Buffer.from('\0ann\0secret-7f3a').toString('base64'))
})
