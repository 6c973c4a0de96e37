//! The table of what becomes of parameters, and its laws.

use super::*;
use proptest::option::of;
use proptest::prelude::*;

#[expect(clippy::too_many_lines, reason = "it is a table")]
#[test]
fn every_row_of_the_table() {
    let params = GenerationParams {
        max_input_tokens: Some(1_000_000),
        max_output_tokens: Some(9_000),
        temperature: Some(1.5),
        ..GenerationParams::default()
    };
    let capabilities = Capabilities {
        context_tokens: Some(10_000),
        output_tokens: Some(8_000),
        temperature: Some((0.0, 1.0)),
        ..Capabilities::default()
    };
    let fitted = fit(&params, &capabilities, 4_000).expect("fits");
    let said: Vec<String> = fitted.changes.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(said.join("\n"), @"
    temperature 1.5 becomes 1, the nearest that the model takes
    max_output_tokens 9000 becomes 8000, the most that the model gives
    max_output_tokens 8000 becomes 6000, what the input leaves of the model's window
    max_input_tokens 1000000 becomes 10000, the model's window
    ");
    let bare = Capabilities {
        temperature: None,
        ..Capabilities::default()
    };
    let fitted = fit(&params, &bare, 4_000).expect("fits");
    assert_eq!((fitted.params.temperature, fitted.changes.len()), (None, 1));
    // Before, these three were sent, or left out, without a word.
    let sampled = GenerationParams {
        temperature: Some(0.5),
        top_p: Some(0.9),
        seed: Some(7),
        stop: Some(vec!["a".into(), "b".into(), "c".into()]),
        ..GenerationParams::default()
    };
    let picky = Capabilities {
        one_of_sampling: true,
        seed: false,
        stops_max: Some(2),
        ..Capabilities::default()
    };
    let said = |capabilities: &Capabilities| {
        let fitted = fit(&sampled, capabilities, 1).expect("fits");
        fitted
            .changes
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    };
    insta::assert_snapshot!(said(&picky), @"
    top_p 0.9 is dropped: the model takes none beside a temperature
    seed 7 is dropped: the model takes none
    the first 2 of 3 texts of stop are sent: the model takes no more
    ");
    let none = Capabilities {
        temperature: None,
        top_p: false,
        seed: false,
        stops_max: Some(0),
        ..Capabilities::default()
    };
    insta::assert_snapshot!(said(&none), @"
    temperature 0.5 is dropped: the model takes none
    top_p 0.9 is dropped: the model takes none
    seed 7 is dropped: the model takes none
    stop is dropped: the model takes none
    ");
    assert_eq!(
        said(&Capabilities::default()),
        "",
        "what is not known is not changed"
    );
    assert_eq!(
        fit(&params, &capabilities, 10_000),
        Err(FitError::Window {
            input: 10_000,
            window: 10_000
        })
    );
    let small = GenerationParams {
        max_input_tokens: Some(0),
        ..params
    };
    assert_eq!(
        fit(&small, &capabilities, 1),
        Err(FitError::Input { input: 1, limit: 0 })
    );
}

#[test]
fn a_payload_leaves_room_for_the_answer() {
    let capabilities = Capabilities {
        context_tokens: Some(10_000),
        output_tokens: Some(4_000),
        ..Capabilities::default()
    };
    let most = |max_input_tokens, max_output_tokens, capabilities: &Capabilities| {
        let params = GenerationParams {
            max_input_tokens,
            max_output_tokens,
            ..GenerationParams::default()
        };
        input_tokens_max(&params, capabilities)
    };
    assert_eq!(most(None, None, &Capabilities::default()), None);
    assert_eq!(most(Some(5), None, &Capabilities::default()), Some(5));
    assert_eq!(most(None, None, &capabilities), Some(5_000));
    assert_eq!(most(None, Some(1_000), &capabilities), Some(8_000));
    assert_eq!(most(None, Some(50_000), &capabilities), Some(5_000));
    assert_eq!(most(Some(100), Some(1_000), &capabilities), Some(100));
}

/// A window of two thousand tokens left nothing for the question beside a built-in limit of 2,048.
#[test]
fn a_limit_that_the_user_has_not_set_is_at_most_a_quarter_of_the_window() {
    let wish = |tokens, is_output_own| Wish {
        params: GenerationParams {
            max_output_tokens: tokens,
            ..GenerationParams::default()
        },
        is_output_own,
    };
    let small = Capabilities {
        context_tokens: Some(2_048),
        ..Capabilities::default()
    };
    let output = |wish: &Wish, capabilities: &Capabilities| {
        with_output(wish, capabilities).0.max_output_tokens
    };
    assert_eq!(output(&wish(Some(2_048), false), &small), Some(512));
    assert_eq!(output(&wish(None, true), &small), Some(512));
    assert_eq!(output(&wish(Some(2_048), true), &small), Some(2_048));
    assert_eq!(
        output(&wish(Some(2_048), false), &Capabilities::default()),
        Some(2_048)
    );
    assert_eq!(
        output(&wish(None, false), &Capabilities::default()),
        Some(OUTPUT_TOKENS_DEFAULT)
    );
    let (params, change) = with_output(&wish(Some(2_048), false), &small);
    assert_eq!(
        change,
        Some(Adjustment::OutputQuartered {
            from: 2_048,
            to: 512
        })
    );
    assert_eq!(input_tokens_max(&params, &small), Some(1_331));
    let wordy = Capabilities {
        tokens_percent: 120,
        ..small
    };
    assert_eq!(input_tokens_max(&params, &wordy), Some(1_109));
}

#[test]
fn the_key_to_raise_is_the_one_that_limits() {
    let (from, to) = (9, 8);
    assert_eq!(output_key(&[]), OutputKey::Profile);
    assert_eq!(
        output_key(&[Adjustment::OutputClamped { from, to }]),
        OutputKey::Provider
    );
    assert_eq!(
        output_key(&[
            Adjustment::OutputClamped { from, to },
            Adjustment::OutputCutToWindow { from, to }
        ]),
        OutputKey::Window
    );
    assert_eq!(
        output_key(&[
            Adjustment::OutputQuartered { from, to },
            Adjustment::SystemInText
        ]),
        OutputKey::Window
    );
}

#[test]
fn only_what_is_wanted_is_said_in_words() {
    let bare = Capabilities {
        system_prompt: false,
        multi_turn: false,
        ..Capabilities::default()
    };
    assert_eq!(said_in_words(Wants::default(), &bare), []);
    let wants = Wants {
        system: true,
        schema: true,
        turns: true,
    };
    assert_eq!(
        said_in_words(wants, &bare),
        [
            Adjustment::SystemInText,
            Adjustment::SchemaInText,
            Adjustment::TurnsInText
        ]
    );
    assert_eq!(
        said_in_words(wants, &Capabilities::default()),
        [Adjustment::SchemaInText]
    );
}

prop_compose! {
    fn some_params()(
        max_input_tokens in of(0_u64..200),
        max_output_tokens in of(0_u64..200),
        temperature in of(prop_oneof![Just(0.0), Just(f64::NAN), -1.0..3.0]),
        top_p in of(0.0..1.0),
        seed in of(0_u64..9),
    ) -> GenerationParams {
        GenerationParams { max_input_tokens, max_output_tokens, temperature, top_p, seed, stop: None }
    }
}

prop_compose! {
    fn some_capabilities()(
        context_tokens in of(0_u64..200),
        output_tokens in of(0_u64..200),
        temperature in of((0.0..1.0, 1.0..2.0)),
    ) -> Capabilities {
        Capabilities { context_tokens, output_tokens, temperature, ..Capabilities::default() }
    }
}

proptest! {
    #[test]
    fn what_is_fitted_is_within_all_limits_and_fits_again(
        params in some_params(), capabilities in some_capabilities(), input in 0_u64..200
    ) {
        let Ok(fitted) = fit(&params, &capabilities, input) else {
            let over = capabilities.context_tokens.is_some_and(|window| input >= window)
                || params.max_input_tokens.is_some_and(|limit| input > limit);
            prop_assert!(over);
            return Ok(());
        };
        let out = &fitted.params;
        let output = out.max_output_tokens.unwrap_or(0);
        prop_assert!(capabilities.output_tokens.is_none_or(|longest| output <= longest));
        prop_assert!(capabilities.context_tokens.is_none_or(|window| input + output <= window));
        prop_assert!(capabilities.context_tokens.is_none_or(|window| out.max_input_tokens.is_none_or(|most| most <= window)));
        let is_taken = |value: f64| capabilities.temperature.is_some_and(|(least, most)| (least..=most).contains(&value));
        prop_assert!(out.temperature.is_none_or(is_taken));
        let again = fit(out, &capabilities, input).expect("fits again");
        prop_assert_eq!(&again.params, out);
        prop_assert!(again.changes.is_empty());
        prop_assert!(params.max_output_tokens.is_some() || out.max_output_tokens.is_none());
        prop_assert!(params.max_input_tokens.is_some() || out.max_input_tokens.is_none());
        prop_assert!(params.temperature.is_some() || out.temperature.is_none());
        prop_assert_eq!((out.top_p, out.seed), (params.top_p, params.seed));
        prop_assert_eq!(fitted.changes.is_empty(), *out == params);
    }

    #[test]
    fn an_explicit_zero_stays(capabilities in some_capabilities(), input in 0_u64..200) {
        let capabilities = Capabilities { temperature: Some((0.0, 1.0)), ..capabilities };
        let zero = GenerationParams { max_output_tokens: Some(0), temperature: Some(0.0), ..GenerationParams::default() };
        if let Ok(fitted) = fit(&zero, &capabilities, input) {
            prop_assert_eq!(fitted, FittedParams { params: zero, changes: Vec::new() });
        }
    }
}
