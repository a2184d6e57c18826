import type { Connection, InboxView } from '@treeos/client'
import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import { createTransport } from 'nodemailer'
import type { Delivery } from './deliveries.ts'
import type { DeliveryInput } from './message.ts'
import { outletCode } from './outlets.ts'

/** The server by which e-mail goes, as the operator named it. */
export interface Mail {
  /** `smtp://` or `smtps://`, with its name and password */
  readonly url: string
  /** who writes */
  readonly from: string
}

const TIMEOUT_MS = 15_000
const TEXT_CHARS_MAX = 20_000

const SUBJECTS: Readonly<Record<Exclude<Delivery['want'], 'confirm'>, (from: string) => string>> = {
  question: (from) => `${from} asks you`,
  answer: (from) => `${from} answers`,
  notice: () => 'A notice',
  approval: () => 'A call waits for your yes',
  budget: () => 'A being is parked by its budget',
}

/**
 * How a server is reached. Beyond this machine nothing is sent before TLS, also where somebody on the way
 * takes STARTTLS away.
 */
export function transportOf({ url }: Pick<Mail, 'url'>) {
  const { protocol, hostname } = new URL(url)
  return {
    url,
    requireTLS: protocol === 'smtp:' && !isLoopbackHost(hostname),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  }
}

const isLoopbackHost = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127([.]\d{1,3}){3}$/.test(hostname)

/**
 * Sends one entry by e-mail, as plain text. Its Message-ID is the same each time, by which mail programs know
 * a repetition.
 * @throws {TreeosError} SERVICE_UNAVAILABLE where no server is named
 * @throws the error of the connection
 */
export async function sendEmail(
  at: Pick<Connection, 'vaults' | 'reality'>,
  { delivery, entry }: DeliveryInput,
  mail: Mail | null,
): Promise<void> {
  if (mail === null)
    throw new TreeosError('SERVICE_UNAVAILABLE', 'the portal has no server for e-mail: set TREEOS_SMTP_URL')
  const { id, being, address } = delivery
  const { name } = at.reality
  const told = entry === null ? confirming(at, delivery) : telling(being, delivery.want, entry)
  const transport = createTransport(transportOf(mail))
  try {
    await transport.sendMail({
      from: mail.from,
      to: { name: '', address },
      subject: `[${name}] ${told.subject}`,
      text: told.text,
      messageId: `<${id}@treeos.${name}>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-TreeOS-Delivery': id },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  } finally {
    transport.close()
  }
}

interface EmailText {
  readonly subject: string
  readonly text: string
}

const confirming = (at: Pick<Connection, 'vaults'>, delivery: Delivery): EmailText => ({
  subject: 'Confirm this address',
  text:
    `${stanceOf(delivery.being)} wants to be told by e-mail to this address what waits in its inbox.\n\n` +
    `If that is you, the code is: ${outletCode(at, delivery)}\n\n` +
    `Give it in the portal, on the page of your account, or at a terminal:\n\ntreeos outlet confirm ${delivery.outlet} ${outletCode(at, delivery)}\n\nElse ignore this: nothing more comes.\n`,
})

function telling(being: BeingName, want: Delivery['want'], entry: InboxView): EmailText {
  const { text: said, correlation, at, times } = entry
  const from = entry.from ?? 'TreeOS'
  const shown = said.length > TEXT_CHARS_MAX ? `${said.slice(0, TEXT_CHARS_MAX).toWellFormed()}\n(cut)` : said
  const subject = want === 'confirm' ? '' : SUBJECTS[want](from)
  return {
    subject,
    text: `To ${stanceOf(being)}, from ${from}, ${at}${times === undefined ? '' : `, ${times} times`}:\n\n${shown}\n\nIts id in the inbox: ${correlation}\n`,
  }
}
