//! The built-in rules against a made-up example of each form, and what every search and redaction must keep.

use proptest::prelude::*;

use super::rule_file::{RuleFile, check};
use super::*;
use crate::base::hash;

/// An example of each rule: `{a36}` stands for 36 letters and digits, `{h…}` for hex digits, `{u…}` for upper case and
/// the digits of base 32, `{l…}` for lower case and digits, `{d…}` for digits, `{b…}` for base64, `{t…}` for letters.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "private-key",
        "-----BEGIN RSA PRIVATE KEY-----\n{a64}\n{a64}\n-----END RSA PRIVATE KEY-----",
    ),
    (
        "private-key",
        "\"-----BEGIN PRIVATE KEY-----\\n{a64}\\n{a64}\\n-----END PRIVATE KEY-----\\n\"",
    ),
    (
        "private-key",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{a64}\n{a64}\n",
    ),
    (
        "putty-private-key",
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 2\n{a64}\n{a64}\nPrivate-MAC: x",
    ),
    ("aws-access-key", "AKIA{u16}"),
    ("aws-secret-key", "aws_secret_access_key = {b40}"),
    (
        "aws-secret-key",
        "const SECRET_ACCESS_KEY: &str = \"{b40}\";",
    ),
    ("aws-session-token", "aws_session_token = {b200}"),
    ("aws-bedrock-key", "ABSK{b112}="),
    ("aws-mws-key", "amzn.mws.{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("github-token", "ghp_{a36}"),
    ("github-token", "url = https://ghs_{a36}@github.com/x/y"),
    ("github-fine-grained-token", "github_pat_{a22}_{a59}"),
    ("gitlab-token", "glpat-{a20}"),
    ("gitlab-runner-token", "GR1348941{a20}"),
    ("bitbucket-app-password", "ATBB{a32}"),
    ("atlassian-token", "ATATT3{a180}"),
    ("slack-token", "xoxb-{d12}-{d12}-{a24}"),
    ("slack-app-token", "xapp-1-A{u9}-{d12}-{a64}"),
    (
        "slack-webhook",
        "https://hooks.slack.com/services/T{u9}/B{u9}/{a24}",
    ),
    (
        "discord-webhook",
        "https://discord.com/api/webhooks/{d18}/{a68}",
    ),
    ("discord-bot-token", "discord_token = \"M{a24}.{a6}.{a38}\""),
    (
        "teams-webhook",
        "https://x.webhook.office.com/webhookb2/{h36}@{h36}/IncomingWebhook/{h32}/{h36}",
    ),
    ("telegram-bot-token", "{d10}:AA{a33}"),
    ("stripe-key", "sk_live_{a24}"),
    ("stripe-webhook-secret", "whsec_{a32}"),
    ("square-token", "sq0csp-{a43}"),
    (
        "paypal-braintree-token",
        "access_token$production${l16}${h32}",
    ),
    ("shopify-token", "shpat_{h32}"),
    ("google-api-key", "AIza{a35}"),
    ("google-oauth-secret", "GOCSPX-{a28}"),
    ("google-oauth-token", "ya29.{a60}"),
    ("google-refresh-token", "1//0{a60}"),
    ("firebase-server-key", "{a11}:APA91b{a134}"),
    ("anthropic-key", "sk-ant-api03-{a95}"),
    ("openai-key", "sk-proj-{a48}"),
    ("openrouter-key", "sk-or-v1-{h64}"),
    ("sk-key", "sk-{a48}"),
    ("groq-key", "gsk_{a52}"),
    ("xai-key", "xai-{a80}"),
    ("perplexity-key", "pplx-{a48}"),
    ("replicate-token", "r8_{a37}"),
    ("hugging-face-token", "hf_{t34}"),
    ("langsmith-key", "lsv2_pt_{h32}_{h10}"),
    ("pinecone-key", "pcsk_{a6}_{a60}"),
    ("databricks-token", "dapi{h32}"),
    ("npm-token", "npm_{a36}"),
    (
        "npm-registry-auth",
        "//registry.npmjs.org/:_authToken={h36}",
    ),
    ("pypi-token", "pypi-AgEIcHlwaS5vcmc{a80}"),
    ("crates-io-token", "cio{a32}"),
    ("rubygems-key", "rubygems_{h48}"),
    ("nuget-key", "oy2{l43}"),
    ("clojars-token", "CLOJARS_{l60}"),
    ("docker-token", "dckr_pat_{a27}"),
    ("docker-config-auth", "\"auth\": \"{b40}\""),
    (
        "azure-storage-key",
        "DefaultEndpointsProtocol=https;AccountKey={b86}==",
    ),
    ("azure-shared-access-key", "SharedAccessKey={b43}="),
    ("azure-sas-signature", "?sv=2020&sig={a43}%3D"),
    ("azure-client-secret", "{a3}8Q~{a34}"),
    ("digitalocean-token", "dop_v1_{h64}"),
    ("heroku-key", "HRKU-{a60}"),
    ("fly-token", "fo1_{a43}"),
    ("cloudflare-origin-key", "v1.0-{h24}-{h146}"),
    ("netlify-token", "nfp_{a36}"),
    ("supabase-token", "sbp_{h40}"),
    ("planetscale-token", "pscale_tkn_{a43}"),
    ("vault-token", "hvs.{a90}"),
    ("terraform-token", "{a14}.atlasv1.{a67}"),
    ("pulumi-token", "pul-{h40}"),
    ("doppler-token", "dp.pt.{a43}"),
    ("onepassword-token", "ops_eyJ{a300}"),
    ("sendgrid-key", "SG.{a22}.{a43}"),
    ("mailgun-key", "key-{h32}"),
    ("mailchimp-key", "{h32}-us12"),
    ("brevo-key", "xkeysib-{h64}-{a16}"),
    ("twilio-secret", "TWILIO_AUTH_TOKEN={h32}"),
    ("newrelic-key", "NRAK-{u27}"),
    ("sentry-token", "sntryu_{h64}"),
    ("grafana-token", "glsa_{a32}_{h8}"),
    ("dynatrace-token", "dt0c01.{u24}.{u64}"),
    ("linear-key", "lin_api_{a40}"),
    ("notion-token", "ntn_{a46}"),
    ("airtable-token", "pat{a14}.{h64}"),
    ("figma-token", "figd_{a40}"),
    ("postman-key", "PMAK-{h24}-{h34}"),
    ("sonar-token", "sqp_{h40}"),
    ("circleci-token", "CCIPAT_{a22}_{h40}"),
    ("artifactory-key", "AKCp{a69}"),
    ("alibaba-access-key", "LTAI{a20}"),
    ("dropbox-token", "sl.B{a140}"),
    ("facebook-token", "EAAC{a180}ZD"),
    ("jwt", "eyJ{a20}.eyJ{a80}.{a43}"),
    ("database-url", "postgres://app:{a16}@db.internal:5432/app"),
    ("database-url", "DATABASE_URL=mysql://root:{a12}@10.0.0.1/x"),
    ("url-password", "https://deploy:{a20}@git.corp.net/x.git"),
    ("authorization-header", "Authorization: Bearer {a40}"),
    ("curl-user", "curl -s -u admin:{a16} https://host"),
    (
        "netrc-password",
        "machine git.corp.net login me password {a20}",
    ),
    ("assigned-secret", "let api_key = \"{a32}\";"),
    ("assigned-secret", "\"clientSecret\": \"{a32}\","),
    (
        "assigned-secret",
        "const AUTH_TOKEN: &'static str = \"{a40}\";",
    ),
    (
        "assigned-secret-in-environment",
        "export MY_API_KEY={a32}\n",
    ),
    ("assigned-password", "password = \"{a16}\""),
];

/// Digits that look random, the same for the same text.
fn digits(alphabet: &str, count: usize, seed: &str) -> String {
    let alphabet = alphabet.as_bytes();
    let mut made = String::new();
    for block in 0.. {
        for byte in hash::Digest::of("test/1", format!("{seed} {block}").as_bytes()).0 {
            if made.len() == count {
                return made;
            }
            made.push(char::from(alphabet[usize::from(byte) % alphabet.len()]));
        }
    }
    made
}

/// Fills in an example.
fn example(template: &str) -> String {
    const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
    const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut text = String::new();
    for part in template.split('{') {
        match part
            .split_once('}')
            .filter(|_| !text.is_empty() || template.starts_with('{'))
        {
            None => text.push_str(part),
            Some((what, rest)) => {
                let alphabet = match &what[..1] {
                    "a" => format!("{LOWER}{UPPER}0123456789"),
                    "b" => format!("{LOWER}{UPPER}0123456789+/"),
                    "h" => "0123456789abcdef".to_owned(),
                    "u" => format!("{UPPER}234567"),
                    "l" => format!("{LOWER}0123456789"),
                    "t" => format!("{LOWER}{UPPER}"),
                    _ => "0123456789".to_owned(),
                };
                text.push_str(&digits(
                    &alphabet,
                    what[1..].parse().expect("a count"),
                    &format!("{template}{}", text.len()),
                ));
                text.push_str(rest);
            }
        }
    }
    text
}

#[test]
fn every_rule_finds_its_example_and_names_it() {
    let scanner = Scanner::built_in();
    for (rule, template) in EXAMPLES {
        let text = format!("# first line\n {}\nlast line\n", example(template));
        let found = scanner.find(text.as_bytes());
        let names: Vec<&str> = found.iter().map(|finding| finding.rule.as_str()).collect();
        assert_eq!(names, [*rule], "{text}");
        assert!(found[0].line >= 2, "{text}");
    }
    let without = scanner
        .rules()
        .iter()
        .filter(|rule| !EXAMPLES.iter().any(|(id, _)| *id == rule.id));
    assert_eq!(
        without.map(|rule| rule.id.as_str()).collect::<Vec<_>>(),
        ["age-secret-key"]
    );
}

/// Red before: a letter, a digit or an underscore before a token hid it, and so did every encoding.
#[expect(clippy::too_many_lines, reason = "it is a table")]
#[test]
fn tokens_are_found_behind_escapes_and_in_base64_and_utf16() {
    let scanner = Scanner::built_in();
    let found = |text: &[u8]| {
        scanner
            .find(text)
            .into_iter()
            .map(|finding| finding.rule)
            .collect::<Vec<_>>()
    };
    let base64 =
        |bytes: &[u8], skipped: usize| encoded::encode(&[&b"x: y"[..skipped], bytes].concat());
    let wide = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    for (rule, template) in [
        ("github-token", "ghp_{a36}"),
        ("gitlab-token", "glpat-{a20}"),
        ("npm-token", "npm_{a36}"),
    ] {
        let token = example(template);
        for before in [
            "\\n",
            "a\\t",
            "?q=token%3D",
            "\\u000a",
            "\\x0a",
            "X_",
            "a",
            "9",
            "&#10;",
            "\u{1b}[32m",
        ] {
            assert_eq!(
                found(format!("\"{before}{token}\"").as_bytes()),
                [rule],
                "{before}"
            );
        }
        for skipped in 0..4 {
            let text = base64(format!("{token}\n").as_bytes(), skipped);
            assert_eq!(
                found(format!("data: {text}=\n").as_bytes()),
                [rule],
                "{text}"
            );
            let text = base64(&wide(&token), skipped);
            assert_eq!(
                found(format!("-EncodedCommand {text}").as_bytes()),
                [rule],
                "{text}"
            );
        }
        let little = wide(&format!("\u{feff}é = {token}\r\n"));
        let big: Vec<u8> = little
            .chunks(2)
            .flat_map(|pair| [pair[1], pair[0]])
            .collect();
        assert_eq!(
            (found(&little), found(&big), found(&little[2..])),
            (
                vec![rule.to_owned()],
                vec![rule.to_owned()],
                vec![rule.to_owned()]
            )
        );
    }
    // A word that ends in the first letters of a looser rule is none of its tokens.
    for text in [
        format!("task-{}", digits("abcdef0123456789", 40, "t")),
        format!("monkey-{}", digits("0123456789abcdef", 32, "k")),
    ] {
        assert_eq!(found(text.as_bytes()), [] as [String; 0], "{text}");
    }
}

#[test]
fn what_is_encoded_is_redacted_whole_and_lines_of_base64_are_one_text() {
    let token = example("ghp_{a36}");
    let text = encoded::encode(
        format!("password for the machine of the build: {token}; and more of the same\n")
            .as_bytes(),
    );
    let wrapped: Vec<&str> = text
        .as_bytes()
        .chunks(64)
        .map(|line| std::str::from_utf8(line).expect("ASCII"))
        .collect();
    let file = format!("key:\n  {}\nend\n", wrapped.join("\n  "));
    let redacted = redact(&file, Scanner::built_in(), &Allowed::default());
    assert_eq!(
        (
            redacted.count,
            redacted.text.starts_with("key:\n  "),
            redacted.text.ends_with("\nend\n")
        ),
        (1, true, true)
    );
    let middle = encoded::encode(&token.as_bytes()[8..32]);
    assert!(
        redacted.text.contains("[redacted: github-token]")
            && !redacted.text.contains(&middle[2..20]),
        "{}",
        redacted.text
    );
    let key =
        example("-----BEGIN RSA PRIVATE KEY-----\n{a64}\n{a64}\n-----END RSA PRIVATE KEY-----\n");
    let text = format!("client-key-data: {}\n", encoded::encode(key.as_bytes()));
    assert_eq!(
        redact(&text, Scanner::built_in(), &Allowed::default()).text,
        "client-key-data: [redacted: private-key]\n"
    );
}

#[test]
fn every_listed_form_is_that_of_a_rule_and_finds_its_example() {
    for (rule, starts) in rules::ENCODED {
        for start in *starts {
            let of_rule = EXAMPLES
                .iter()
                .filter(|(id, _)| id == rule)
                .map(|(_, template)| example(template));
            let Some(token) = of_rule.into_iter().find(|token| token.contains(start)) else {
                continue;
            };
            let text = encoded::encode(format!("{token}\n").as_bytes());
            let found: Vec<_> = Scanner::built_in()
                .find(text.as_bytes())
                .into_iter()
                .map(|finding| finding.rule)
                .collect();
            assert_eq!(found, [*rule], "{token}");
        }
    }
}

#[test]
fn every_built_in_rule_is_sound_and_ids_are_distinct() {
    let scanner = Scanner::built_in();
    let mut ids: Vec<&str> = scanner
        .rules()
        .iter()
        .map(|rule| rule.id.as_str())
        .collect();
    for rule in scanner.rules() {
        assert_eq!(
            (check(rule), rule.compiles()),
            (Ok(()), true),
            "{}",
            rule.id
        );
    }
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
    assert!(
        scanner
            .find(b"placeholders compile: AKIAIOSFODNN7EXAMPLE")
            .is_empty()
    );
}

#[test]
fn examples_and_placeholders_are_let_through() {
    for text in [
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "api_key = \"<your key here, please>\"",
        "api_key = \"your-api-key-goes-here-1\"",
        "api_key = \"xxxxxxxxxxxxxxxxxxxxxxxx\"",
        "API_KEY=${SOME_OTHER_VARIABLE_1}",
        "password = \"changeme\"",
        "password: \"${{ secrets.PASSWORD_1 }}\"",
        "postgres://user:password@localhost/db",
        "https://user:pass@example.com/",
        "https://github.com/someone/project@v1.2.3",
        "git@github.com:someone/project.git",
        "let token = tokens.next_token_of_kind(Kind::Ident2);",
        concat!("-----BEGIN PRIV", "ATE KEY-----"),
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
        "checksum = \"9d8b8f4c6f1a5e0f3b2c1d4e5f60718293a4b5c6d7e8f9012345678901234567\"",
        "secret_key_name = \"projects/one/secrets/two\"",
    ] {
        assert_eq!(Scanner::built_in().find(text.as_bytes()), [], "{text}");
    }
}

#[test]
fn names_of_files_that_hold_secrets() {
    let rule = |path: &str| {
        Scanner::built_in()
            .find_name(path.as_bytes())
            .map(|finding| finding.rule)
    };
    for (path, expected) in [
        (".env", Some("environment-file")),
        ("deep/.env.production", Some("environment-file")),
        (".env.example", None),
        ("config/.env.prod.sample", None),
        ("id_rsa", Some("ssh-private-key")),
        ("id_rsa.pub", None),
        ("tls/server.pem", Some("key-file")),
        ("tls/cert.pem", None),
        ("a.p12", Some("key-store")),
        ("x.KDBX", Some("key-store")),
        (".netrc", Some("login-file")),
        (".npmrc", Some("login-file")),
        (".git-credentials", Some("login-file")),
        ("home/.aws/credentials", Some("login-file")),
        ("credentials-prod.json", Some("credentials-file")),
        ("src/credentials.rs", None),
        ("environment.rs", None),
        (".teddy/secrets.toml", None),
    ] {
        assert_eq!(rule(path).as_deref(), expected, "{path}");
    }
}

#[test]
fn redacted_text_is_the_rest_of_the_text_with_markers() {
    let (token, jwt) = (example("ghp_{a36}"), example("eyJ{a20}.eyJ{a80}.{a43}"));
    let text = format!("é token = {token};\nAuthorization: Bearer {jwt}\n");
    let redacted = redact(&text, Scanner::built_in(), &Allowed::default());
    assert_eq!(
        redacted.text,
        "é token = [redacted: github-token];\nAuthorization: Bearer [redacted: jwt]\n"
    );
    assert_eq!(redacted.count, 2);
    let allowed: Allowed = [FindingId::of("github-token", token.as_bytes())]
        .into_iter()
        .collect();
    let redacted = redact(&text, Scanner::built_in(), &allowed);
    assert!(redacted.text.contains(&token) && redacted.count == 1);
}

#[test]
fn the_guard_names_the_place_and_never_the_secret() {
    let token = example("glpat-{a20}");
    let text = format!("one\ntwo {token}\nthree {token}\n");
    let found = guard(
        text.as_bytes(),
        "notes.md",
        Scanner::built_in(),
        &Allowed::default(),
    )
    .expect_err("a secret");
    assert_eq!(
        (found.line, found.rule.as_str(), found.more),
        (2, "gitlab-token", 1)
    );
    assert!(!format!("{found:?} {found}").contains(&token[6..]));
    let allowed = [found.id].into_iter().collect();
    assert_eq!(
        guard(text.as_bytes(), "notes.md", Scanner::built_in(), &allowed),
        Ok(())
    );
}

#[test]
fn added_files_only_add_and_are_refused_with_a_line() {
    let added = "[[rule]]\nid = 'house-token'\nkeywords = ['house-']\npattern = 'house-[0-9]{6}'\n";
    let scanner = Scanner::with_rules(&[added]).expect("rules");
    assert_eq!(scanner.find(b"x house-482913")[0].rule, "house-token");
    for (_, template) in EXAMPLES {
        assert!(
            !scanner.find(example(template).as_bytes()).is_empty(),
            "{template}"
        );
    }
    for (text, line) in [
        ("placeholders = ['.']\n", 1),
        ("[[rule]]\nid = 'a'\n", 1),
        (
            "\n[[rule]]\nid = 'A'\nkeywords = ['abc']\npattern = 'x'\n",
            2,
        ),
        ("[[rule]]\nid = 'a'\nkeywords = []\npattern = 'x'\n", 1),
        ("[[rule]]\nid = 'a'\nkeywords = ['ab']\npattern = 'x'\n", 1),
        (
            "\n[[rule]]\nid = 'bad'\nkeywords = ['abc']\npattern = '('\n",
            5,
        ),
        (
            "[[rule]]\nid = 'a'\nkeywords = ['abc']\npattern = 'x'\ndisable = ['jwt']\n",
            5,
        ),
        ("[[rule]\n", 1),
        (
            "[[rule]]\nid = 'a'\nkeywords = ['abc']\npattern = '[a-z]{1000}{1000}'\n",
            4,
        ),
    ] {
        let (number, error) = Scanner::with_rules(&[added, text]).expect_err(text);
        assert_eq!((number, error.line), (1, line), "{text}: {error}");
    }
    assert!(RuleFile::parse("").expect("nothing").rules.is_empty());
}

/// Text in which pieces of secrets, of assignments and of markers follow each other.
fn pieces() -> impl Strategy<Value = String> {
    let words = [
        "ghp_", "sk-", "AKIA", "eyJ", ".", "-", "_", "=", " = \"", "\"", "\n", "api_key",
        "password", "https://", "u:", "@h",
    ];
    let more = [
        concat!("-----BEGIN PRIV", "ATE KEY-----"),
        "-----END PRIVATE KEY-----",
        "[redacted: jwt]",
        "[redacted: ",
        "]",
        "é",
        "x",
    ];
    let words: Vec<String> = words.into_iter().chain(more).map(str::to_owned).collect();
    let whole: Vec<String> = EXAMPLES
        .iter()
        .map(|(_, template)| example(template))
        .collect();
    let piece = prop_oneof![
        proptest::sample::select(words),
        proptest::sample::select(whole),
        "[A-Za-z0-9]{1,70}"
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_is_found_in_redacted_text(text in pieces()) {
        let scanner = Scanner::built_in();
        let once = redact(&text, scanner, &Allowed::default());
        prop_assert_eq!(scanner.find(once.text.as_bytes()), []);
        prop_assert_eq!(once.text.matches('\n').count(), text.matches('\n').count());
        let text = once.text.into_owned();
        prop_assert_eq!(redact(&text, scanner, &Allowed::default()).count, 0);
    }

    #[test]
    fn findings_are_in_order_and_apart(text in pieces()) {
        let mut end = 0;
        for finding in Scanner::built_in().find(text.as_bytes()) {
            prop_assert!(finding.range.start >= end && finding.range.end > finding.range.start);
            prop_assert_eq!(finding.line, text.as_bytes()[..finding.range.start].split(|byte| *byte == b'\n').count());
            end = finding.range.end;
        }
    }

    #[test]
    fn any_bytes_are_searched_without_a_panic(bytes: Vec<u8>) {
        let _ = Scanner::built_in().find(&bytes);
    }
}
