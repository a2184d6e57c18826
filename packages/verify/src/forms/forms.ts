import type { Json } from '../canonical.ts'
import { readForms } from './form-language.ts'

/** The block of docs/formats.md, "Forms", as it stands there. */
export const FORMS = `
mind 'llm'|'human'|'scripted'
turn 'forward'|'half'|'inward'
caller null|{name:text,role:text|null,cognition:mind}
head (text,whole,hash)
header {v:1,reel:text,seq:whole,kind:text,actor:text,driver:text|null,moment:text|null,cause:text|null,
  at:whole,payloadHash:hash,stack:text|null,code:'treeos/1'}
pinned {name:text,digest:hash}
xyz {x:whole,y:whole,z:whole}
entries [text|object]
lists {canSee:entries,canDo:entries,canSummon:entries,canBe:entries}
ask {who:[text],count:whole,withinSeconds:whole,*}
call {verb:'see',address:text}|{verb:'see',addresses:[text]}|{verb:'do',operation:text,target:text|null,args:object,overlay?:text}|summon|
  {verb:'be',operation:text,args:object}
summon {verb:'summon',target:text|null,content:any,inReplyTo:text|null,priority?:text,role?:text,
  orientation?:turn,thread?:text,channel?:text,overlay?:text,expectReply?:flag}
wake {id:text,kind:'summon'|'act'|'event',priority:whole,caller:caller,root:text,inReplyTo:text|null,
  askedRole:text|null,hops:whole,continues:whole,cause:hash|null,refusals?:whole,expectReply?:false,
  outside?:true,orientation?:turn}
record {v:1,law:whole,being:text,moment:text,n:whole,wake:text|null,openedAt:whole,sealedAt:whole,open:hash,
  stack:null|{primary:pinned,stacked:[pinned]},stackDigest:hash|null,surfaceDigest:hash|null,
  promptDigest:hash|null,decision:hash|null,outcome:'act'|'see'|'failure'|'skipped'|'waiting',reason:text|null,by:[text],act:hash|null,
  facts:[head],overlay?:object,judged?:hash|null,code?:text,effect?:{request:hash,result:hash|null},
  beside?:'thread'|'inbox'|'lease'|'effect'|'erasing'|'storage'|'count',shadow?:[tried],refusal?:hash,sends?:hash}
tried {verb:text,key:text,on:text,was:text,would:text,by:text}
owed {id:text,caller:{name:text,role:text|null,cognition:mind},hops:whole}
open {v:1,moment:text,n:whole,wake:wake,answers:text|null,verb:text,caller:caller,owed?:owed,openedAt:whole,zone:text,
  offset:whole,hour:whole,dayOfWeek:whole,cognition:{kind:mind,script:text|null},driver:text|null,
  lastSealed:null|{sealedAt:whole,primary:text|null},asked:text|null,program:hash,context:object,
  heads:[head],basis:hash,face:hash|null,layout:whole,code?:text,noted?:hash,signed?:signed,shadow?:[text],
  triedOutside?:[text],cut?:true,ended?:true,own?:true,asKind?:text,outside?:true,orientation?:'half'|
  'inward',hidden?:true,unheard?:[text],heard?:[text]}
signed {key:text,at:whole,authenticatorData:text,clientDataJSON:text,signature:text}
noted null|{aside?:{said?:{facts:[head],*},did?:[head],past?:{facts:[head],outside?:true,*},*},*}
decision null|{kind:'call',call:call,content:text|null,prose?:true,ignoredCalls?:whole,reads?:[call],model?:deciding}|
  {kind:'see',content:text|null,model?:deciding}|{kind:'failure',code:text,message:text,breach?:object,miscall?:true,model?:deciding}
deciding {asked:text,named:text|null,connection?:text,settings:object}
effect null|{salt:hash,request:{operation:text,actor:text,target:text,args:any,secrets?:[text],
  cause?:{yes:hash}|{moment:hash,wake:text}|{fact:hash}|{wake:text},key?:hash},result:null|{error:{code:text,*},overlays?:[object],checked?:true}|
  {value:any,files?:[file],overlays?:[object],checked?:true}}
file {id:text,digest:hash,mediaType:text,bytes:whole,name:text}
program {flow:[any],defaultRole:text|null,roles:<{digest:hash,requiredCognition:mind|null,
  triggerOn?:[text]}>}
spec {name:text,prompt?:text|{function:text},description?:text,canSee?:entries,canDo?:entries,
  canSummon?:entries,canBe?:entries,see?:[text],views?:'default'|'only',layout?:'as-told'|'stable-first',
  requiredCognition?:mind,selfContinue?:flag|'until-answered',steps?:whole,defaultOrientation?:turn,forceToolCall?:flag,
  triggerOn?:[text],respondMode?:'async'|'none',onAnswers?:'each'|'all',prose?:'see'|'answers'}
manifest {v:1,extensions:<any>,operations:{do:<operation>,be:<operation>},names:{spaceTypes:[text],
  matterTypes:[text],scripts:[text],namespaces:[text],schedules:<object>,hooks:<object>}}
operation {origin:text,targets:[text],allow:[text|object],form:text,ask?:ask,effect?:{secrets:[text]},
  mediates?:true}
payload object
being:born {name:text,parent:text|null,home:text,defaultRole:text|null,cognition:{kind:mind,script:text|
  null},ceiling:lists|null,qualities:object,*}
being:moved {to:text,coord?:xyz,*}
being:bounded {ceiling:lists|null,*}
being:role-set {role:text,*}
being:bore {being:text,*}
being:budgeted {budget:{momentsPerMinute?:number,selfContinues?:number,hops?:number,births?:number,
  tokens?:number,money?:number,per:text},*}
being:parked {breach:object,*}
being:inhabited {by:text,epoch:whole,under:whole|null,own?:true,*}
being:summoned {correlation:text,to:text,content:any,root:text,inReplyTo:text|null,role:text|null,
  cognition:mind|null,expectReply?:false,outside?:true,orientation?:turn,followed?:[text],*}
space:created {path:text,type:text,owner:text|null,qualities:object,size?:xyz,coord?:xyz,*}
space:resized {size:xyz|null,*}
space:contributor-added {being:text,*}
space:contributor-removed {being:text,*}
space:opened {path:text,*}
space:entered {being:text,*}
space:left {being:text,*}
place:received {matter:text,*}
place:gave {matter:text,*}
quality:set {path:[text],value?:any,merge?:any,*}
signal:published {namespace:text,key:[text],value?:any,owner?:text,*}
signal:granted {namespace:text,being:text,owner?:text,*}
signal:revoked {namespace:text,being:text,owner?:text,*}
matter:created {id:text,type:text,owner:text,place:text,content:any,qualities:object,coord?:xyz,*}
matter:moved {to:text,coord?:xyz,*}
matter:written {content?:any,*}
role:set {name:text,digest:hash,origin:text,spec:spec,*}
role:deleted {name:text,*}
registry:installed {extension:text,version:text,digest:hash,code:hash,roles:<hash>,*}
registry:used {extension:text,version:text|null,digest:hash|null,*}
approval:asked {call:call,wake:text,root:text,caller:caller,question:text|null,askedRole:text|null,
  lease:null|{driver:text,epoch:whole},rules:[{by:text,who:[text],count:whole}],ties:{call:hash,roles:hash,
  ceilings:hash,rules:hash,lease:hash,operation:hash|null},roles:[text],expiresAt:whole,person:text|null,
  target:text,fromOutside?:true}
approval:given {call:call,digest:hash,*}
tally:counted {amounts:<number>,failed?:true,*}
thread:cut {thread:text,*}
origin:outside {name?:text,*}
origin:vouched {name?:text,*}
hold:set {name:text,why:text,*}
hold:lifted {name:text,why:text,*}
fact:erased {hash:hash,why:text,*}
moment:erased {moment:text,why:text,*}
`

const READ = readForms(FORMS)

/** Whether a value has a form of the table. */
export const hasForm = (name: string, value: Json | undefined): boolean => READ.get(name)?.(value) === true

/** Whether what a fact says has the form of its kind. Kinds of extensions say any object. */
export const isPayloadOf = (kind: string, payload: Json): boolean =>
  READ.has(kind) && kind.includes(':') ? hasForm(kind, payload) : hasForm('payload', payload)
