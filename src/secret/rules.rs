//! What a secret looks like: the rules that are built in, tokens of known form first, guesses last.
//!
//! The forms are those that the vendors document, or that are seen in every token they give out. They stand here and not in
//! a file of their own, which every commit would have to read.

use std::sync::OnceLock;

use super::file_rule::FileRule;
use super::rule::{Harmless, Rule};

/// How far is looked when a rule does not say.
pub(super) const REACH_DEFAULT: usize = 1024;

/// What a rule says: see [`Rule`].
struct BuiltIn {
    id: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    entropy: f64,
    kinds: usize,
    behind: usize,
    inside: bool,
    placeholders: bool,
    reach: usize,
    allow: &'static [&'static str],
}

const PLAIN: BuiltIn = BuiltIn {
    id: "",
    keywords: &[],
    pattern: "",
    entropy: 0.0,
    kinds: 0,
    behind: 0,
    inside: false,
    placeholders: true,
    reach: REACH_DEFAULT,
    allow: &[],
};

/// Files whose name says that they hold secrets: see [`FileRule::matches`].
struct BuiltInFile {
    id: &'static str,
    names: &'static [&'static str],
    except: &'static [&'static str],
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The rules about text, in the order in which they win where they overlap.
pub(super) fn rules() -> impl Iterator<Item = Rule> {
    RULES.iter().map(|rule| Rule {
        id: rule.id.to_owned(),
        keywords: owned(rule.keywords),
        pattern: rule.pattern.to_owned(),
        entropy: rule.entropy,
        kinds: rule.kinds,
        behind: rule.behind,
        inside: rule.inside,
        placeholders: rule.placeholders,
        reach: rule.reach,
        allow: Harmless::new(owned(rule.allow)),
        compiled: OnceLock::new(),
    })
}

/// The rules about names of files.
pub(super) fn files() -> impl Iterator<Item = FileRule> {
    FILES.iter().map(|rule| FileRule {
        id: rule.id.to_owned(),
        names: owned(rule.names),
        except: owned(rule.except),
    })
}

/// What no secret says, wherever it is found: placeholders, examples, and counting along the keyboard.
#[rustfmt::skip]
pub(super) const PLACEHOLDERS: &[&str] = &[
    "(?i)example", "(?i)change[-_]?me", "(?i)place[-_]?holder", "(?i)your[-_]", "(?i)dummy", "(?i)redacted", "(?i)sample",
    "(?i)insert[-_]", "(?i)replace[-_]", "(?i)not[-_]?a?[-_]?(?:real|secret)", "(?i)fake", "(?i)todo",
    "(?i)test[-_]?(?:key|token|secret)", "(?i)x{5}", "(?i)(?:deadbeef)", "0{8}", "(?i)a{8}", "1{6}", r"\*{3}", r"\.{3}",
    "[<>{}$%]", "(?i)1234567", "(?i)abcdef0?1?23", "(?i)abcdefgh", "(?i)0123456", "(?i)987654", "(?i)lorem",
    "(?i)super[-_]?secret",
];

/// What is found in base64 too: rules, and what their tokens begin with, letter by letter.
///
/// Only beginnings that are long enough to be rare, of tokens that take 24 bytes or more, by rules that look at nothing
/// before them.
#[rustfmt::skip]
pub(super) const ENCODED: &[(&str, &[&str])] = &[
    ("private-key", &["-----BEGIN "]),
    ("age-secret-key", &["AGE-SECRET-KEY-1"]),
    ("aws-secret-key", &["secret_access_key", "SECRET_ACCESS_KEY", "SecretAccessKey"]),
    ("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"]),
    ("github-fine-grained-token", &["github_pat_"]),
    ("gitlab-token", &["glpat-", "gldt-", "glrt-"]),
    ("atlassian-token", &["ATATT3"]),
    ("slack-token", &["xoxb-", "xoxp-", "xoxe-"]),
    ("slack-app-token", &["xapp-"]),
    ("stripe-key", &["sk_live_", "rk_live_"]),
    ("shopify-token", &["shpat_"]),
    ("google-api-key", &["AIza"]),
    ("google-oauth-secret", &["GOCSPX-"]),
    ("anthropic-key", &["sk-ant-"]),
    ("openai-key", &["sk-proj-", "sk-svcacct-"]),
    ("openrouter-key", &["sk-or-v1-"]),
    ("npm-token", &["npm_"]),
    ("pypi-token", &["pypi-AgE"]),
    ("docker-token", &["dckr_pat_"]),
    ("digitalocean-token", &["dop_v1_"]),
    ("sendgrid-key", &["SG."]),
];

#[rustfmt::skip]
const RULES: &[BuiltIn] = &[
    BuiltIn {
        id: "private-key", keywords: &["-----begin"],
        pattern: r"(?s)-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----.{0,200}?[A-Za-z0-9+/]{40}(?:.*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]*)",
        inside: true, placeholders: false, reach: 16384, ..PLAIN
    },
    BuiltIn {
        id: "putty-private-key", keywords: &["putty-user-key-file-"],
        pattern: r"(?s)PuTTY-User-Key-File-[23]: .*?Private-Lines: [0-9]+\s(?:[A-Za-z0-9+/=]+\s+)+",
        reach: 8192, ..PLAIN
    },
    BuiltIn {
        id: "age-secret-key", keywords: &["age-secret-key-1"],
        pattern: "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "aws-access-key", keywords: &["akia", "asia", "abia", "acca"],
        pattern: "((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?:[^A-Za-z0-9+/=_]|$)",
        entropy: 3.0, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "aws-secret-key", keywords: &["secret_access_key", "secretaccesskey", "secret-access-key", "aws_secret_key", "awssecretkey"],
        pattern: r#"(?i)(?:aws_?secret_?key|secret[-_]?access[-_]?key)["\x27]?(?:\s*:\s*[&\x27\w<> ]{1,30})?\s{0,4}(?:=>|:=|=|:)\s{0,4}["\x27]?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
        entropy: 4.0, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "aws-session-token", keywords: &["session_token", "sessiontoken"],
        pattern: r#"(?i)session_?token["\x27]?\s{0,4}(?:=>|:=|=|:)\s{0,4}["\x27]?([A-Za-z0-9/+]{100,}={0,2})"#,
        entropy: 4.5, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "aws-bedrock-key", keywords: &["absk"],
        pattern: "ABSK[A-Za-z0-9+/]{100,}={0,2}",
        entropy: 4.0, ..PLAIN
    },
    BuiltIn {
        id: "aws-mws-key", keywords: &["amzn.mws."],
        pattern: r"amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "github-token", keywords: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        pattern: "gh[pousr]_[A-Za-z0-9]{36,251}",
        entropy: 3.0, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "github-fine-grained-token", keywords: &["github_pat_"],
        pattern: "github_pat_[A-Za-z0-9_]{60,120}",
        entropy: 3.0, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "gitlab-token", keywords: &["glpat-", "glptt-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glsoat-", "glimt-", "glagent-", "glft-", "glffct-", "gloas-"],
        pattern: "gl(?:pat|ptt|dt|rt|rtr|cbt|soat|imt|agent|ft|ffct|oas)-[A-Za-z0-9_.=-]{20,300}",
        entropy: 3.0, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "gitlab-runner-token", keywords: &["gr1348941"],
        pattern: "GR1348941[A-Za-z0-9_-]{20}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "bitbucket-app-password", keywords: &["atbb"],
        pattern: "(ATBB[A-Za-z0-9]{32})(?:[^A-Za-z0-9]|$)",
        entropy: 3.5, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "atlassian-token", keywords: &["atatt3"],
        pattern: "ATATT3[A-Za-z0-9_=-]{100,300}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "slack-token", keywords: &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xoxo-", "xoxc-", "xoxd-"],
        pattern: "xox[a-eoprs][-.](?:[0-9]{6,14}-|[a-z]+-|[0-9]-)?[A-Za-z0-9%_-]{16,400}",
        entropy: 3.0, kinds: 2, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "slack-app-token", keywords: &["xapp-"],
        pattern: "xapp-[0-9]-[A-Z0-9]{6,}-[0-9]{6,}-[a-zA-Z0-9]{32,}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "slack-webhook", keywords: &["hooks.slack.com/"],
        pattern: r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,60})",
        entropy: 3.5, ..PLAIN
    },
    BuiltIn {
        id: "discord-webhook", keywords: &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        pattern: r"(?i)discord(?:app)?\.com/api/webhooks/([0-9]{15,22}/[A-Za-z0-9_-]{60,80})",
        ..PLAIN
    },
    BuiltIn {
        id: "discord-bot-token", keywords: &["discord"],
        pattern: r#"(?i)discord[\w.-]{0,25}["\x27]?(?:\s*:\s*[&\x27\w<> ]{1,30})?\s{0,4}(?:=>|:=|=|:)\s{0,4}["\x27]((?-i:[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}))"#,
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "teams-webhook", keywords: &[".webhook.office.com/webhookb2/"],
        pattern: r"\.webhook\.office\.com/webhookb2/([A-Za-z0-9@-]{60,90}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36})",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "telegram-bot-token", keywords: &[":aa"],
        pattern: "([0-9]{8}:AA[A-Za-z0-9_-]{33})(?:[^A-Za-z0-9_-]|$)",
        entropy: 3.5, behind: 8, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "stripe-key", keywords: &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_org_"],
        pattern: "[rs]k_(?:live|test|org)_[A-Za-z0-9]{20,250}",
        entropy: 3.0, ..PLAIN
    },
    BuiltIn {
        id: "stripe-webhook-secret", keywords: &["whsec_"],
        pattern: "whsec_[A-Za-z0-9+/=]{24,}",
        entropy: 3.5, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "square-token", keywords: &["sq0atp-", "sq0csp-", "sq0idp-"],
        pattern: r"sq0(?:atp-[\w-]{22}|csp-[\w-]{43})",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "paypal-braintree-token", keywords: &["access_token$"],
        pattern: r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
        placeholders: false, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "shopify-token", keywords: &["shpat_", "shpca_", "shppa_", "shpss_"],
        pattern: "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "google-api-key", keywords: &["aiza"],
        pattern: "(AIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)",
        entropy: 3.5, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "google-oauth-secret", keywords: &["gocspx-"],
        pattern: "GOCSPX-[A-Za-z0-9_-]{28}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "google-oauth-token", keywords: &["ya29."],
        pattern: r"ya29\.[A-Za-z0-9_-]{40,}",
        entropy: 3.5, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "google-refresh-token", keywords: &["1//0"],
        pattern: "1//0[A-Za-z0-9_-]{40,}",
        entropy: 4.0, ..PLAIN
    },
    BuiltIn {
        id: "firebase-server-key", keywords: &[":apa91b"],
        pattern: "([A-Za-z0-9_-]{11}:APA91b[A-Za-z0-9_-]{100,160})",
        behind: 11, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "anthropic-key", keywords: &["sk-ant-"],
        pattern: "sk-ant-[a-z]{2,8}[0-9]{2}-[A-Za-z0-9_-]{24,}",
        entropy: 3.0, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "openai-key", keywords: &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        pattern: "sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{24,}",
        entropy: 3.0, ..PLAIN
    },
    BuiltIn {
        id: "openrouter-key", keywords: &["sk-or-v1-"],
        pattern: "sk-or-v1-[0-9a-f]{40,}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "sk-key", keywords: &["sk-"],
        pattern: "(sk-[A-Za-z0-9]{20,64})(?:[^A-Za-z0-9_-]|$)",
        entropy: 3.5, kinds: 2, ..PLAIN
    },
    BuiltIn {
        id: "groq-key", keywords: &["gsk_"],
        pattern: "gsk_[A-Za-z0-9]{40,60}",
        entropy: 3.5, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "xai-key", keywords: &["xai-"],
        pattern: "xai-[A-Za-z0-9]{60,90}",
        entropy: 3.5, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "perplexity-key", keywords: &["pplx-"],
        pattern: "pplx-[A-Za-z0-9]{40,64}",
        entropy: 3.5, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "replicate-token", keywords: &["r8_"],
        pattern: "(r8_[A-Za-z0-9]{37})(?:[^A-Za-z0-9]|$)",
        entropy: 3.5, ..PLAIN
    },
    BuiltIn {
        id: "hugging-face-token", keywords: &["hf_", "api_org_"],
        pattern: "((?:hf|api_org)_[A-Za-z0-9]{34})(?:[^A-Za-z0-9_]|$)",
        entropy: 3.5, ..PLAIN
    },
    BuiltIn {
        id: "langsmith-key", keywords: &["lsv2_"],
        pattern: "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "pinecone-key", keywords: &["pcsk_"],
        pattern: "pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "databricks-token", keywords: &["dapi"],
        pattern: "(dapi[0-9a-f]{32}(?:-[0-9])?)(?:[^A-Za-z0-9]|$)",
        entropy: 3.0, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "npm-token", keywords: &["npm_"],
        pattern: "(npm_[A-Za-z0-9]{36})(?:[^A-Za-z0-9_]|$)",
        entropy: 3.5, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "npm-registry-auth", keywords: &["_authtoken", "_auth="],
        pattern: r#"(?i)_auth(?:token)?\s?=\s?["\x27]?([A-Za-z0-9+/=_-]{20,})"#,
        entropy: 3.0, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "pypi-token", keywords: &["pypi-ageichlwas5vcmc", "pypi-agendgvzdc5wexbplm9yz"],
        pattern: "(?i)pypi-AgE[A-Za-z0-9_-]{50,}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "crates-io-token", keywords: &["cio"],
        pattern: "(cio[A-Za-z0-9]{32})(?:[^A-Za-z0-9_]|$)",
        entropy: 3.5, kinds: 3, ..PLAIN
    },
    BuiltIn {
        id: "rubygems-key", keywords: &["rubygems_"],
        pattern: "rubygems_[0-9a-f]{48}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "nuget-key", keywords: &["oy2"],
        pattern: "(oy2[a-z0-9]{43})(?:[^A-Za-z0-9]|$)",
        entropy: 3.5, ..PLAIN
    },
    BuiltIn {
        id: "clojars-token", keywords: &["clojars_"],
        pattern: "CLOJARS_[a-z0-9]{60}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "docker-token", keywords: &["dckr_pat_", "dckr_oat_"],
        pattern: "dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,40}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "docker-config-auth", keywords: &[r#""auth""#],
        pattern: r#""auth"\s{0,4}:\s{0,4}"([A-Za-z0-9+/]{16,}={0,2})""#,
        entropy: 3.5, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "azure-storage-key", keywords: &["accountkey="],
        pattern: "(?i)accountkey=([A-Za-z0-9+/]{86}==)",
        // The key of the storage emulator, which everybody has.
        entropy: 4.0, inside: true, allow: &["Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq"], ..PLAIN
    },
    BuiltIn {
        id: "azure-shared-access-key", keywords: &["sharedaccesskey="],
        pattern: "(?i)sharedaccesskey=([A-Za-z0-9+/]{43}=)",
        entropy: 4.0, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "azure-sas-signature", keywords: &["sig="],
        pattern: "sig=([A-Za-z0-9%]{40,70}%3[dD])",
        entropy: 4.0, placeholders: false, ..PLAIN
    },
    BuiltIn {
        id: "azure-client-secret", keywords: &["0q~", "1q~", "2q~", "3q~", "4q~", "5q~", "6q~", "7q~", "8q~", "9q~"],
        pattern: "([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)",
        entropy: 3.5, behind: 3, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "digitalocean-token", keywords: &["dop_v1_", "doo_v1_", "dor_v1_"],
        pattern: "do[opr]_v1_[0-9a-f]{64}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "heroku-key", keywords: &["hrku-"],
        pattern: "HRKU-[A-Za-z0-9_-]{36,64}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "fly-token", keywords: &["fo1_", "fm1_", "fm2_", "fm1a_", "fm1r_"],
        pattern: "(?:fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/_=-]{100,})",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "cloudflare-origin-key", keywords: &["v1.0-"],
        pattern: r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "netlify-token", keywords: &["nfp_"],
        pattern: "(nfp_[A-Za-z0-9]{36})(?:[^A-Za-z0-9]|$)",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "supabase-token", keywords: &["sbp_", "sb_secret_"],
        pattern: "(?:sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{28,})",
        ..PLAIN
    },
    BuiltIn {
        id: "planetscale-token", keywords: &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
        pattern: "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "vault-token", keywords: &["hvs.", "hvb.", "hvr."],
        pattern: r"hv[sbr]\.[A-Za-z0-9_-]{24,300}",
        entropy: 3.5, ..PLAIN
    },
    BuiltIn {
        id: "terraform-token", keywords: &[".atlasv1."],
        pattern: r"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})",
        behind: 14, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "pulumi-token", keywords: &["pul-"],
        pattern: "(pul-[0-9a-f]{40})(?:[^A-Za-z0-9]|$)",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "doppler-token", keywords: &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."],
        pattern: r"dp\.(?:pt|ct|sa|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,44}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "onepassword-token", keywords: &["ops_eyj"],
        pattern: "ops_eyJ[A-Za-z0-9+/_-]{200,}={0,3}",
        reach: 4096, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "sendgrid-key", keywords: &["sg."],
        pattern: r"(SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})",
        entropy: 3.5, ..PLAIN
    },
    BuiltIn {
        id: "mailgun-key", keywords: &["key-"],
        pattern: "(key-[0-9a-f]{32})(?:[^A-Za-z0-9]|$)",
        entropy: 3.0, ..PLAIN
    },
    BuiltIn {
        id: "mailchimp-key", keywords: &["-us"],
        pattern: "([0-9a-f]{32}-us[0-9]{1,2})(?:[^A-Za-z0-9]|$)",
        entropy: 3.0, behind: 32, ..PLAIN
    },
    BuiltIn {
        id: "brevo-key", keywords: &["xkeysib-", "xsmtpsib-"],
        pattern: "x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "twilio-secret", keywords: &["twilio"],
        pattern: r#"(?i)twilio[\w.-]{0,30}["\x27]?(?:\s*:\s*[&\x27\w<> ]{1,30})?\s{0,4}(?:=>|:=|=|:)\s{0,4}["\x27]?((?-i:SK)?[0-9a-f]{32})(?:[^A-Za-z0-9]|$)"#,
        entropy: 3.0, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "newrelic-key", keywords: &["nrak-", "nrii-", "nrjs-"],
        pattern: "NR(?:AK-[A-Z0-9]{27}|II-[A-Za-z0-9_-]{32}|JS-[0-9a-f]{19})",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "sentry-token", keywords: &["sntrys_", "sntryu_"],
        pattern: "(?:sntrys_eyJ[A-Za-z0-9+/=_]{80,}|sntryu_[0-9a-f]{64})",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "grafana-token", keywords: &["glsa_", "glc_ey"],
        pattern: "(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_ey[A-Za-z0-9+/=]{32,})",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "dynatrace-token", keywords: &["dt0c01.", "dt0s01.", "dt0s16."],
        pattern: r"dt0[a-z][0-9]{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "linear-key", keywords: &["lin_api_", "lin_oauth_"],
        pattern: "lin_(?:api|oauth)_[A-Za-z0-9]{40,64}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "notion-token", keywords: &["ntn_", "secret_"],
        pattern: "((?:ntn_[A-Za-z0-9]{46})|(?:secret_[A-Za-z0-9]{43}))(?:[^A-Za-z0-9_]|$)",
        entropy: 3.8, kinds: 3, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "airtable-token", keywords: &["pat"],
        pattern: r"(pat[A-Za-z0-9]{14}\.[0-9a-f]{64})(?:[^A-Za-z0-9]|$)",
        ..PLAIN
    },
    BuiltIn {
        id: "figma-token", keywords: &["figd_", "figu_"],
        pattern: "fig[du]_[A-Za-z0-9_-]{38,46}",
        ..PLAIN
    },
    BuiltIn {
        id: "postman-key", keywords: &["pmak-"],
        pattern: "PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "sonar-token", keywords: &["sqp_", "squ_", "sqa_"],
        pattern: "(sq[pua]_[0-9a-f]{40})(?:[^A-Za-z0-9]|$)",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "circleci-token", keywords: &["ccipat_"],
        pattern: "CCIPAT_[A-Za-z0-9]{20,24}_[0-9a-f]{40}",
        inside: true, ..PLAIN
    },
    BuiltIn {
        id: "artifactory-key", keywords: &["akcp"],
        pattern: "(AKCp[A-Za-z0-9]{60,80})(?:[^A-Za-z0-9]|$)",
        entropy: 3.5, ..PLAIN
    },
    BuiltIn {
        id: "alibaba-access-key", keywords: &["ltai"],
        pattern: "(LTAI[A-Za-z0-9]{17,21})(?:[^A-Za-z0-9]|$)",
        entropy: 3.5, kinds: 3, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "dropbox-token", keywords: &["sl.b", "sl.u"],
        pattern: r"sl\.(?:u\.)?[A-Za-z0-9_=-]{130,}",
        ..PLAIN
    },
    BuiltIn {
        id: "facebook-token", keywords: &["eaac", "eaaa"],
        pattern: "(EAA[A-Z][A-Za-z0-9]{90,300}ZD)(?:[^A-Za-z0-9+/=]|$)",
        entropy: 4.5, ..PLAIN
    },
    BuiltIn {
        id: "jwt", keywords: &["eyj"],
        pattern: r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}",
        entropy: 3.5, reach: 8192, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "database-url", keywords: &["postgres://", "postgresql://", "mysql://", "mariadb://", "mongodb://", "mongodb+srv://", "redis://", "rediss://", "amqp://", "amqps://", "mssql://", "sqlserver://", "clickhouse://"],
        pattern: r#"(?i)[a-z+]{5,12}://[^\s:/?#@"\x27<>`{}\[\]]{0,64}:([^\s:/?#@"\x27<>`{}\[\]()$,\\]{6,128})@[^\s"\x27]{1,253}"#,
        entropy: 2.6, allow: &["(?i):(?:pass(?:word|wd|w)?[0-9]{0,4}|secret|postgres|postgresql|mysql|mongo|redis|rabbitmq|root|admin|guest|test(?:ing)?|user|username|hunter2|p4ssw0rd|sekret)@", r"(?i)@[^/]*\bexample\b", r"(?i):[^@]*(?:passw(?:or)?d)[^@]*@(?:localhost|127\.0\.0\.1|::1|db|postgres|mysql|redis|mongo)\b"], ..PLAIN
    },
    BuiltIn {
        id: "url-password", keywords: &["http://", "https://", "ftp://", "ftps://", "smtp://", "smtps://", "ssh://", "ldap://", "ldaps://", "imap://", "imaps://"],
        pattern: r#"(?i)[a-z]{3,5}://[^\s:/?#@"\x27<>`{}\[\]]{1,64}:([^\s:/?#@"\x27<>`{}\[\]()$,\\]{8,128})@[^\s"\x27]{1,253}"#,
        entropy: 2.8, kinds: 2, allow: &["(?i):(?:pass(?:word|wd|w)?[0-9]{0,4}|my-?password[0-9]*|secret|hunter2|p4ssw0rd)@", r"(?i)@[^/]*\b(?:example|test|invalid|localhost|host|domain|foo|bar)\b", r"(?i)@(?:localhost|127\.0\.0\.1|10\.|192\.168\.)"], ..PLAIN
    },
    BuiltIn {
        id: "authorization-header", keywords: &["authorization"],
        pattern: r#"(?i)authorization["\x27]?\s{0,3}[:=,]\s{0,3}["\x27]?(?:bearer|basic|token)\s+([A-Za-z0-9+/=_.~-]{20,})"#,
        entropy: 3.8, kinds: 3, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "curl-user", keywords: &["curl "],
        pattern: r#"curl [^\n|;]{0,200}?(?:-u|--user)[ =]["\x27]?[^\s:"\x27$<{]{1,64}:([^\s"\x27$<>{}\[\]]{8,128})"#,
        entropy: 3.0, kinds: 2, ..PLAIN
    },
    BuiltIn {
        id: "netrc-password", keywords: &["machine "],
        pattern: r"machine\s+\S{1,253}\s+login\s+\S{1,128}\s+password\s+([^\s\[\]<>]{6,256})",
        entropy: 2.8, kinds: 2, ..PLAIN
    },
    BuiltIn {
        id: "assigned-secret", keywords: &["api_key", "apikey", "api-key", "api.key", "secret", "token", "auth_key", "authkey", "access_key", "accesskey", "access-key", "private_key", "privatekey", "private-key", "client_key", "encryption_key", "encryptionkey", "signing_key", "signingkey", "master_key", "masterkey", "credential"],
        pattern: r#"(?i)(?:(?:api|auth|access|private|client|encryption|signing|master)[-_.]?key|secret|token|credential)[\w.-]{0,20}["\x27\]]{0,2}(?:\s{0,2}:\s{0,2}[&\x27\w<> ]{1,30})?\s{0,4}(?:=>|:=|=|:)\s{0,4}["\x27`]([A-Za-z0-9+/=_.~!@#^&*-]{16,256})["\x27`]"#,
        entropy: 3.7, kinds: 2, inside: true, allow: &[r#"["\x27`][A-Za-z]*(?:[-_./:][A-Za-z]*)*[0-9]{0,2}["\x27`]$"#, "(?i)public"], ..PLAIN
    },
    BuiltIn {
        id: "assigned-secret-in-environment", keywords: &["api_key=", "apikey=", "_secret=", "secret_key=", "_token=", "access_key=", "private_key=", "auth_key=", "encryption_key="],
        pattern: r#"(?i)(?:api_?key|secret|secret_key|token|(?:access|private|auth|encryption)_key)=([A-Za-z0-9+/=_.~-]{20,256})(?:[\s"\x27]|$)"#,
        entropy: 3.9, kinds: 3, inside: true, ..PLAIN
    },
    BuiltIn {
        id: "assigned-password", keywords: &["password", "passwd", "passphrase", "_pwd", "_pass"],
        pattern: r#"(?i)(?:password|passwd|passphrase|_pwd|_pass)[\w.-]{0,12}["\x27\]]{0,2}(?:\s{0,2}:\s{0,2}[&\x27\w<> ]{1,30})?\s{0,4}(?:=>|:=|=|:)\s{0,4}["\x27`]([^\s"\x27`<>{}\[\]()$\\]{8,128})["\x27`]"#,
        entropy: 3.0, kinds: 3, inside: true, allow: &[r#"(?i)["\x27`][^"\x27`]*(?:pass|secret|test|user|hunter2|qwerty|letmein|foo|bar)[^"\x27`]*["\x27`]$"#], ..PLAIN
    },
];

#[rustfmt::skip]
const FILES: &[BuiltInFile] = &[
    BuiltInFile {
        id: "environment-file",
        names: &[".env", ".env.*", "*.env", ".envrc"],
        except: &[".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", ".env.*.example", ".env.*.sample", ".env.*.template", "example.env", "sample.env", "template.env", "*.example.env"],
    },
    BuiltInFile {
        id: "ssh-private-key",
        names: &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "*_rsa", "*_ed25519", "ssh_host_*_key"],
        except: &["*.pub"],
    },
    BuiltInFile {
        id: "key-file",
        names: &["*.pem", "*.key", "*.ppk", "*.p8", "*.pkcs8", "*.asc.key", "*.gpg.key", "secring.gpg", "*.age-key"],
        except: &["*.pub.pem", "*public*.pem", "*public*.key", "cert.pem", "*-cert.pem", "*.cert.pem", "ca.pem", "*-ca.pem", "cacert.pem", "chain.pem", "fullchain.pem", "*.crt.pem"],
    },
    BuiltInFile {
        id: "key-store",
        names: &["*.p12", "*.pfx", "*.jks", "*.keystore", "*.bks", "*.kdbx", "*.kdb", "*.agilekeychain", "*.keychain", "*.keychain-db", "*.opvault", "*.wallet", "wallet.dat"],
        except: &[],
    },
    BuiltInFile {
        id: "login-file",
        names: &[".netrc", "_netrc", ".git-credentials", ".pgpass", ".my.cnf", ".mylogin.cnf", ".htpasswd", ".s3cfg", ".boto", ".dockercfg", ".passwd", ".vault-token", ".pypirc", ".gem/credentials", ".docker/config.json", ".aws/credentials", ".kube/config", "kubeconfig", "*.kubeconfig", ".cargo/credentials", ".cargo/credentials.toml", ".config/gh/hosts.yml", ".terraformrc", "terraform.rc", ".npmrc", ".yarnrc.yml"],
        except: &[],
    },
    BuiltInFile {
        id: "credentials-file",
        names: &["credentials.json", "credentials*.json", "*credentials.json", "client_secret*.json", "service-account*.json", "service_account*.json", "*-service-account.json", "gcp-key*.json", "application_default_credentials.json", "credentials.csv", "credentials.yml", "credentials.yaml", "credentials.ini", "secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secrets.env", "secret.key", "master.key", "credentials.yml.enc.key", "*.tfvars", "*.tfstate", "*.tfstate.backup", "wp-config.php", ".rails/master.key", "publishsettings", "*.publishsettings", "*.ovpn", "*.mobileprovision"],
        except: &["*.example.*", "*.sample.*", "*.example", "*.sample", ".teddy/secrets.toml"],
    },
];
